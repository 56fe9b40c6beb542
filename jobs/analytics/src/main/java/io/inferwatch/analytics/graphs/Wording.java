package io.inferwatch.analytics.graphs;

import java.util.Locale;

/**
 * All that may be said of jitter and failed captures, from least to most. Fixed here, so that no panel, alert or report says more than was
 * shown. {@link #CAUSE} is for replicas whose policy was dealt out at random, and nothing else.
 */
public enum Wording {
    /** Too little was seen to say anything. */
    INSUFFICIENT("too little was seen to say whether captures fail more often after restless batches"),
    /** Limits hold the ratio 1, or the difference 0. */
    NO_ASSOCIATION("no association of restless batches with failed captures is shown"),
    /** Limits do not hold 1; what comes first, and whether something else drives both, is open. */
    ASSOCIATION("captures fail more or less often after restless batches; which comes first is open"),
    /** Jitter foretells failures beyond their own past, and failures do not foretell jitter. */
    TEMPORAL_ORDER_SUPPORTED("restless batches foretell failed captures and not the reverse; a common cause is open"),
    /** And later jitter, which can cause nothing earlier, foretells nothing, and surely less: no lasting common cause is seen. */
    PLACEBO_PASSED("restless batches foretell failed captures, and later ones tell nothing of them"),
    /** The policy was dealt out at random: whatever else differs does so by chance, which the limits allow for. */
    CAUSE("the batching policy changes how often captures fail");

    private final String sentence;

    Wording(String sentence) {
        this.sentence = sentence;
    }

    /** The name in points and alerts, e.g. {@code temporal_order_supported}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The same for people. */
    public String sentence() {
        return sentence;
    }
}
