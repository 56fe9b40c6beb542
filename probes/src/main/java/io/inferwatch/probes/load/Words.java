package io.inferwatch.probes.load;

import java.util.SplittableRandom;

/**
 * A text of so many tokens: words of three letters with a space after each. Each is one token of every common byte-pair vocabulary and four characters, so that a text has the
 * same length for servers that tokenise, for those that count four characters a token, and for people. The same seed gives the same words from the first on: of two texts with one seed the shorter is a prefix of the longer.
 *
 * @param count at least 0
 */
record Words(long seed, int count) implements Piece {
    static final int CHARACTERS = 4;

    private static final String ALL = "the and for are but not you all any can her was one our out day "
            + "get has him his how man new now old see two way who boy did its "
            + "let put say she too use big end far few got job law lot low may "
            + "men off own pay per red run set six ten top try war win yes yet ";
    private static final int BITS = 6;
    private static final int PER_LONG = Long.SIZE / BITS;

    @Override
    public int tokens() {
        return count;
    }

    @Override
    public int characters() {
        return count * CHARACTERS;
    }

    @Override
    public int length() {
        return characters();
    }

    @Override
    public int write(byte[] text, int offset) {
        SplittableRandom random = new SplittableRandom(seed);
        int at = offset;
        long bits = 0;
        for (int i = 0; i < count; i++) {
            if (i % PER_LONG == 0) {
                bits = random.nextLong();
            }
            int word = ((int) bits & ((1 << BITS) - 1)) * CHARACTERS;
            bits >>>= BITS;
            for (int c = 0; c < CHARACTERS; c++) {
                text[at++] = (byte) ALL.charAt(word + c);
            }
        }
        return at;
    }
}
