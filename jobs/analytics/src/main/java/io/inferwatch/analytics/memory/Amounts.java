package io.inferwatch.analytics.memory;

/** What bytes, blocks and tokens must be. */
final class Amounts {
    private Amounts() {}

    static void requireAtLeast(long least, String key, long value) {
        if (value < least) {
            throw new IllegalArgumentException(key + ": must be at least " + least + ", found " + value);
        }
    }

    /** From 0 to a limit that has a name. */
    static void requireWithin(String limitKey, long limit, String key, long value) {
        if (value < 0 || value > limit) {
            throw new IllegalArgumentException(
                    key + ": must be from 0 to " + limitKey + " (" + limit + "), found " + value);
        }
    }
}
