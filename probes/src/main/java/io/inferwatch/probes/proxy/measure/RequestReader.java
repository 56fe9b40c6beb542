package io.inferwatch.probes.proxy.measure;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of one request as it comes: which model it asks for, whether it wants a stream, how long its prompt is. It keeps no text of the
 * prompt, and what it cannot read it leaves out. Not thread safe.
 */
final class RequestReader implements JsonScanner.Listener {
    private static final int MAX_MODEL = 128;

    private final JsonScanner scanner = new JsonScanner(Dialect.request(), this);
    private @Nullable String model;
    private @Nullable Boolean stream;
    private long promptCharacters;

    void read(byte[] bytes, int offset, int length) {
        scanner.scan(bytes, offset, length);
    }

    @Nullable
    String model() {
        return model;
    }

    @Nullable
    Boolean stream() {
        return stream;
    }

    /** Characters of the prompt; null when none was found, as with a prompt of token ids. */
    @Nullable
    Long promptCharacters() {
        return promptCharacters == 0 ? null : (Long) promptCharacters;
    }

    @Override
    public void text(Fact fact, byte[] kept, int keptLength, long characters) {
        if (fact == Fact.MODEL && keptLength <= MAX_MODEL) {
            model = new String(kept, 0, keptLength, StandardCharsets.UTF_8);
        } else if (fact == Fact.PROMPT) {
            promptCharacters += characters;
        }
    }

    @Override
    public void flag(Fact fact, boolean value) {
        if (fact == Fact.STREAM) {
            stream = value;
        }
    }

    @Override
    public void number(Fact fact, long value) {
        // No number of a request is asked for.
    }

    @Override
    public void opened(Fact fact) {
        // What is inside tells.
    }

    @Override
    public void closed(Fact fact) {
        // What was inside told.
    }
}
