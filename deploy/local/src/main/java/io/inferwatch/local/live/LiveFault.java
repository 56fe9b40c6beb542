package io.inferwatch.local.live;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What a live demo lets go wrong. */
public enum LiveFault {
    /** One server's host takes three times as long for everything: drift of one node. */
    SLOW_NODE,
    /** A fifth of the requests has long prompts from then on: the traffic's mix, and no drift. */
    LONGER_PROMPTS;

    /** The text that names it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The fault that a text names. */
    public static Optional<LiveFault> of(String text) {
        return Arrays.stream(values())
                .filter(fault -> fault.text().equals(text))
                .findFirst();
    }
}
