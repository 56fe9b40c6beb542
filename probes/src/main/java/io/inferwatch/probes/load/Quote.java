package io.inferwatch.probes.load;

import com.fasterxml.jackson.core.io.JsonStringEncoder;

/** A prompt of a corpus, ready to be sent. */
final class Quote implements Piece {
    private final byte[] escaped;
    private final int tokens;
    private final int characters;

    /**
     * A text.
     *
     * @param tokens that it has by the corpus's vocabulary
     */
    Quote(String text, int tokens) {
        this.escaped = JsonStringEncoder.getInstance().quoteAsUTF8(text);
        this.tokens = tokens;
        this.characters = text.codePointCount(0, text.length());
    }

    @Override
    public int tokens() {
        return tokens;
    }

    @Override
    public int characters() {
        return characters;
    }

    @Override
    public int length() {
        return escaped.length;
    }

    @Override
    public int write(byte[] text, int offset) {
        System.arraycopy(escaped, 0, text, offset, escaped.length);
        return offset + escaped.length;
    }
}
