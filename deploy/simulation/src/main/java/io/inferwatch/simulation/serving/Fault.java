package io.inferwatch.simulation.serving;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What can go wrong with a server while it runs. Each has a severity, whose meaning and limits are its own. */
public enum Fault {
    /** All that happens on the host, stages and steps, takes this many times as long: a noisy neighbour, a failing disk. */
    SLOW_NODE(3, 1, 100),
    /** Steps take this many times as long: clocks lowered for heat or power. */
    THROTTLED_GPU(1.6, 1, 100),
    /** This share of the KV cache's blocks is not to be had. */
    KV_PRESSURE(0.8, 0, 1),
    /** So much of the device memory for activations is held by small tensors that stay, and activations are no longer of the same sizes. */
    FRAGMENTATION(0.6, 0, 1),
    /** The prefix cache knows nothing; the severity is 1. */
    COLD_CACHE(1, 1, 1),
    /** This share of the requests fails, half of them with status 500, half after their first tokens. */
    ERROR_BURST(0.2, 0, 1),
    /** This share of the requests never gets a token nor an end. */
    HANGING_REQUESTS(0.05, 0, 1),
    /** The next version is deployed, and its steps take this many times as long. */
    SLOWER_VERSION(1.25, 1, 100);

    private final double usual;
    private final double least;
    private final double most;

    Fault(double usual, double least, double most) {
        this.usual = usual;
        this.least = least;
        this.most = most;
    }

    /** The text that names it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The severity where none is given. */
    public double usualSeverity() {
        return usual;
    }

    /**
     * Checks a severity.
     *
     * @throws IllegalArgumentException when it is outside the fault's limits
     */
    public double check(double severity) {
        if (!(severity >= least && severity <= most)) {
            throw new IllegalArgumentException(
                    "severity of %s: must be from %s to %s, found %s".formatted(text(), least, most, severity));
        }
        return severity;
    }

    /** The fault that a text names. */
    public static Optional<Fault> of(String text) {
        return Arrays.stream(values())
                .filter(fault -> fault.text().equals(text))
                .findFirst();
    }
}
