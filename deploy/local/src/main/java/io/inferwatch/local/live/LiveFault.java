package io.inferwatch.local.live;

import io.inferwatch.simulation.serving.Fault;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a live demo lets go wrong. */
public enum LiveFault {
    /** One server's host takes three times as long for everything: drift of one node. */
    SLOW_NODE(Fault.SLOW_NODE, 3),
    /**
     * Every fiftieth request has a long prompt from then on: the traffic's mix, and no drift. On servers that are ten times as fast as for other
     * faults, or short prompts would wait behind long ones, which is drift of those.
     */
    LONGER_PROMPTS(null, 0),
    /** Of one server's KV cache 218 blocks are left: requests are preempted, an alert of memory of one replica. */
    KV_PRESSURE(Fault.KV_PRESSURE, 0.9915),
    /** Small tensors stay between the activations of one server: allocations fail, an alert of fragmentation of one GPU. */
    FRAGMENTATION(Fault.FRAGMENTATION, 0.6);

    private final @Nullable Fault simulated;
    private final double severity;

    LiveFault(@Nullable Fault simulated, double severity) {
        this.simulated = simulated;
        this.severity = severity;
    }

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

    /** All texts, for people. */
    public static String texts() {
        return Arrays.stream(values()).map(LiveFault::text).collect(Collectors.joining(", "));
    }

    /** How many times as fast as an A100 the servers are. */
    int timesAsFast() {
        return this == LONGER_PROMPTS ? 80 : 8;
    }

    /** Minutes that a demo of it takes at least. */
    public int leastMinutes() {
        return isOfMemory() ? LiveDemo.MIN_MINUTES_OF_MEMORY : LiveDemo.MIN_MINUTES_OF_DRIFT;
    }

    /** Whether memory shows it, and an alert of memory tells it; drift otherwise. */
    boolean isOfMemory() {
        return this == KV_PRESSURE || this == FRAGMENTATION;
    }

    /** What is switched on in one server; empty where it is the traffic that changes. */
    Optional<Fault> simulated() {
        return Optional.ofNullable(simulated);
    }

    double severity() {
        return severity;
    }

    /** What happens, for people. */
    String what(String replica) {
        return switch (this) {
            case SLOW_NODE -> "%s becomes a slow node (times %.0f)".formatted(replica, severity);
            case LONGER_PROMPTS -> "every fiftieth prompt becomes long";
            case KV_PRESSURE -> "%.1f %% of the KV cache of %s are not to be had".formatted(100 * severity, replica);
            case FRAGMENTATION -> "small tensors fragment the device memory of " + replica;
        };
    }
}
