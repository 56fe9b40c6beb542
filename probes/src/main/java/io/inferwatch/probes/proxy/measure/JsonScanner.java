package io.inferwatch.probes.proxy.measure;

import io.inferwatch.probes.proxy.measure.JsonShape.Place;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads a JSON document cut anywhere between two bytes and tells the facts of its {@link JsonShape}. Everything else is passed over. It keeps the
 * first {@value #MAX_KEPT} bytes of a text and one place for each level of nesting, whatever the document's length; deeper than {@value #MAX_DEPTH}
 * levels it gives up.
 *
 * <p>It is meant for documents that a server wrote, and takes a little more than JSON: NaN and infinities, and control characters in strings. What
 * it cannot read makes it {@link #isFailed()}, never an exception. Not thread safe.
 */
final class JsonScanner {
    static final int MAX_KEPT = 256;
    static final int MAX_DEPTH = 256;

    /** Hears of facts, in the order of the document. */
    interface Listener {
        /** A text: its beginning in UTF-8, and the number of characters of all of it. */
        void text(Fact fact, byte[] kept, int keptLength, long characters);

        void number(Fact fact, long value);

        void flag(Fact fact, boolean value);

        /** An object or an array begins. */
        void opened(Fact fact);

        /** It ends. */
        void closed(Fact fact);
    }

    private enum State {
        VALUE,
        FIRST_VALUE_OR_END,
        FIRST_NAME_OR_END,
        NAME,
        COLON,
        AFTER_VALUE,
        STRING,
        ESCAPE,
        HEXADECIMAL,
        BARE,
        DONE,
        FAILED
    }

    private final JsonShape shape;
    private final Listener listener;

    private State state = State.VALUE;
    private int depth;
    private boolean[] isArray = new boolean[8];
    private @Nullable Place[] places = new @Nullable Place[8];

    /** Where the present value stands; null when it does not matter. */
    private @Nullable Place place;

    private boolean isName;
    private boolean isKept;
    private byte[] kept = new byte[32];
    private int keptLength;
    private long characters;
    private int hexadecimal;
    private int hexadecimalDigits;

    JsonScanner(JsonShape shape, Listener listener) {
        this.shape = shape;
        this.listener = listener;
        this.place = shape.root();
    }

    /** Begins another document. */
    void reset() {
        state = State.VALUE;
        depth = 0;
        place = shape.root();
    }

    /** Whether the document was read to its end. */
    boolean isComplete() {
        return state == State.DONE;
    }

    /** Whether it is no JSON; the rest of it is passed over. */
    boolean isFailed() {
        return state == State.FAILED;
    }

    /** The document has ended: a bare number at its top has no other end. */
    void end() {
        if (state == State.BARE && depth == 0) {
            endBare();
        }
    }

    void scan(byte[] bytes, int offset, int length) {
        int end = offset + length;
        int at = offset;
        while (at < end && state != State.FAILED) {
            if (state == State.STRING) {
                at = string(bytes, at, end);
            } else {
                at += step(bytes[at]);
            }
        }
    }

    /** Passes over the inside of a string as far as it goes. */
    private int string(byte[] bytes, int from, int end) {
        int at = from;
        while (at < end && bytes[at] != '"' && bytes[at] != '\\') {
            at++;
        }
        if (isKept) {
            keep(bytes, from, at);
        }
        if (at == end) {
            return end;
        }
        if (bytes[at] == '\\') {
            state = State.ESCAPE;
        } else if (isName) {
            place = place == null ? null : place.member(kept, keptLength);
            state = State.COLON;
        } else {
            Fact fact = fact();
            if (fact != null) {
                listener.text(fact, kept, Math.min(keptLength, MAX_KEPT), characters);
            }
            endValue();
        }
        return at + 1;
    }

    private int step(byte b) {
        switch (state) {
            case ESCAPE -> escape(b);
            case HEXADECIMAL -> hexadecimal(b);
            case BARE -> {
                if (isDelimiter(b)) {
                    endBare();
                    return 0;
                }
                keep(b);
            }
            default -> {
                if (b != ' ' && b != '\n' && b != '\r' && b != '\t') {
                    structure(b);
                }
            }
        }
        return 1;
    }

    private void structure(byte b) {
        switch (state) {
            case VALUE -> beginValue(b);
            case FIRST_VALUE_OR_END -> {
                if (b == ']') {
                    close();
                } else {
                    beginValue(b);
                }
            }
            case FIRST_NAME_OR_END -> {
                if (b == '}') {
                    close();
                } else {
                    beginName(b);
                }
            }
            case NAME -> beginName(b);
            case COLON -> state = b == ':' ? State.VALUE : State.FAILED;
            case AFTER_VALUE -> {
                if (b == ',') {
                    Place parent = places[depth - 1];
                    place = isArray[depth - 1] && parent != null ? parent.element() : parent;
                    state = isArray[depth - 1] ? State.VALUE : State.NAME;
                } else if (b == (isArray[depth - 1] ? ']' : '}')) {
                    close();
                } else {
                    state = State.FAILED;
                }
            }
            default -> state = State.FAILED;
        }
    }

    private void beginValue(byte b) {
        switch (b) {
            case '{' -> open(false);
            case '[' -> open(true);
            case '"' -> beginString(false, fact() != null);
            default -> {
                keptLength = 0;
                state = State.BARE;
                keep(b);
            }
        }
    }

    private void beginName(byte b) {
        if (b == '"') {
            beginString(true, place != null);
        } else {
            state = State.FAILED;
        }
    }

    private void beginString(boolean name, boolean keep) {
        isName = name;
        isKept = keep;
        keptLength = 0;
        characters = 0;
        state = State.STRING;
    }

    private void open(boolean array) {
        Fact fact = fact();
        if (fact != null) {
            listener.opened(fact);
        }
        if (depth == isArray.length) {
            if (depth == MAX_DEPTH) {
                state = State.FAILED;
                return;
            }
            isArray = Arrays.copyOf(isArray, 2 * depth);
            places = Arrays.copyOf(places, 2 * depth);
        }
        isArray[depth] = array;
        places[depth] = place;
        depth++;
        if (array) {
            place = place == null ? null : place.element();
            state = State.FIRST_VALUE_OR_END;
        } else {
            state = State.FIRST_NAME_OR_END;
        }
    }

    private void close() {
        depth--;
        place = places[depth];
        Fact fact = fact();
        if (fact != null) {
            listener.closed(fact);
        }
        endValue();
    }

    private void endValue() {
        state = depth == 0 ? State.DONE : State.AFTER_VALUE;
    }

    private void escape(byte b) {
        state = State.STRING;
        switch (b) {
            case '"', '\\', '/' -> keepEscaped(b);
            case 'n', 'r', 't', 'b', 'f' -> keepEscaped((byte) ' ');
            case 'u' -> {
                hexadecimal = 0;
                hexadecimalDigits = 0;
                state = State.HEXADECIMAL;
            }
            default -> state = State.FAILED;
        }
    }

    private void hexadecimal(byte b) {
        int digit = Character.digit(b, 16);
        if (digit < 0) {
            state = State.FAILED;
            return;
        }
        hexadecimal = 16 * hexadecimal + digit;
        hexadecimalDigits++;
        if (hexadecimalDigits == 4) {
            state = State.STRING;
            // Of a pair of surrogates the first stands for both.
            if (isKept && !Character.isLowSurrogate((char) hexadecimal)) {
                byte[] encoded = Character.toString(hexadecimal).getBytes(StandardCharsets.UTF_8);
                keep(encoded, 0, encoded.length);
            }
        }
    }

    private void keepEscaped(byte b) {
        if (isKept) {
            characters++;
            keep(b);
        }
    }

    private void keep(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            // All bytes of a character but its first begin with the bits 10.
            if ((bytes[i] & 0xC0) != 0x80) {
                characters++;
            }
        }
        int length = Math.min(to - from, MAX_KEPT + 1 - keptLength);
        if (length > 0) {
            ensure(keptLength + length);
            System.arraycopy(bytes, from, kept, keptLength, length);
            keptLength += length;
        }
    }

    private void keep(byte b) {
        // One byte more than is told: a longer name must not be taken for one that it begins with.
        if (keptLength <= MAX_KEPT) {
            ensure(keptLength + 1);
            kept[keptLength++] = b;
        }
    }

    private void ensure(int length) {
        if (length > kept.length) {
            kept = Arrays.copyOf(kept, Math.max(length, 2 * kept.length));
        }
    }

    /** A number or a word is over. */
    private void endBare() {
        Fact fact = fact();
        byte first = kept[0];
        if (is("true") || is("false")) {
            if (fact != null) {
                listener.flag(fact, first == 't');
            }
        } else if (first == '-' || (first >= '0' && first <= '9')) {
            if (!isNumber()) {
                state = State.FAILED;
                return;
            }
            if (fact != null && isWhole()) {
                listener.number(fact, whole());
            }
        } else if (!is("null") && !is("NaN") && !is("Infinity")) {
            state = State.FAILED;
            return;
        }
        endValue();
    }

    private boolean isNumber() {
        if (is("-Infinity")) {
            return true;
        }
        for (int i = 0; i < keptLength; i++) {
            if ("+-.eE0123456789".indexOf(kept[i]) < 0) {
                return false;
            }
        }
        return true;
    }

    /** Whether the number is a count: not negative, without fraction, and within a long. */
    private boolean isWhole() {
        if (keptLength > 18) {
            return false;
        }
        for (int i = 0; i < keptLength; i++) {
            if (kept[i] < '0' || kept[i] > '9') {
                return false;
            }
        }
        return true;
    }

    private long whole() {
        long value = 0;
        for (int i = 0; i < keptLength; i++) {
            value = 10 * value + kept[i] - '0';
        }
        return value;
    }

    private boolean is(String word) {
        if (keptLength != word.length()) {
            return false;
        }
        for (int i = 0; i < keptLength; i++) {
            if (kept[i] != word.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private @Nullable Fact fact() {
        return place == null ? null : place.fact();
    }

    private static boolean isDelimiter(byte b) {
        return b == ',' || b == '}' || b == ']' || b == ' ' || b == '\n' || b == '\r' || b == '\t' || b == ':'
                || b == '"';
    }
}
