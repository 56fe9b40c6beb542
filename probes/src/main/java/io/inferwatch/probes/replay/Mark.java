package io.inferwatch.probes.replay;

import java.util.Locale;

/** Cautions that a replayed event carries; each is counted in the report. */
public enum Mark {
    /** Dimensions that the file lacks were assigned by a hash. */
    SYNTHETIC_DIMENSIONS,
    /** The file has no times; they were made up from the latencies. */
    SYNTHETIC_TIME,
    /** Cached tokens were estimated from the prefix shared with the request before. */
    ESTIMATED_CACHE,
    /** The recorded time between tokens cannot be: all tokens together would take far longer than the request did. */
    IMPLAUSIBLE_ITL,
    /** The recorded first token comes after the end. */
    IMPLAUSIBLE_TTFT,
    /** The recorded count of output tokens is 0, though nothing says that the request failed. */
    ZERO_OUTPUT,
    /** The number of prefix blocks does not fit the length of the prompt. */
    HASH_IDS_MISMATCH,
    /** The prompt was cut to the limit. */
    PROMPT_CLIPPED,
    /** The prompt was scaled so that the file's longest fits the limit. */
    PROMPT_SCALED;

    private final String label = name().toLowerCase(Locale.ROOT).replace('_', '-');

    /** The text in {@code RequestEvent.marks}. */
    public String label() {
        return label;
    }
}
