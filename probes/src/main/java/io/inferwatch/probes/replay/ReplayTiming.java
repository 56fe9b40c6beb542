package io.inferwatch.probes.replay;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * When rows are sent and which event time they get.
 *
 * @param speedup how many times faster than recorded rows are sent; absent for as fast as possible
 * @param compress by how much the distances between event times shrink; absent for the speedup, or 1 without one. Latencies never change
 * @param end event time of the last row; absent for the moment at which the replay will end
 */
public record ReplayTiming(OptionalDouble speedup, OptionalDouble compress, Optional<Instant> end) {
    /** Checked timing: nothing may lie in the future when it is sent. */
    public ReplayTiming {
        requirePositive("speedup", speedup);
        requirePositive("compress", compress);
        if (speedup.isPresent() && compress.isPresent() && compress.getAsDouble() > speedup.getAsDouble()) {
            throw new IllegalArgumentException("compress: must be at most the speedup of " + speedup.getAsDouble()
                    + ", found " + compress.getAsDouble() + "; else events would lie in the future");
        }
    }

    /** Sends so many times faster than recorded, event times alike. */
    public static ReplayTiming speedup(double speedup) {
        return new ReplayTiming(OptionalDouble.of(speedup), OptionalDouble.empty(), Optional.empty());
    }

    /** Sends as fast as possible, event times spaced as recorded. */
    public static ReplayTiming max() {
        return new ReplayTiming(OptionalDouble.empty(), OptionalDouble.empty(), Optional.empty());
    }

    /** The same with event times closer together. */
    public ReplayTiming withCompress(double compress) {
        return new ReplayTiming(speedup, OptionalDouble.of(compress), end);
    }

    /** The same ending at a given event time. */
    public ReplayTiming withEnd(Instant end) {
        return new ReplayTiming(speedup, compress, Optional.of(end));
    }

    double effectiveCompress() {
        return compress.orElse(speedup.orElse(1));
    }

    private static void requirePositive(String name, OptionalDouble value) {
        if (value.isPresent() && !(value.getAsDouble() > 0 && Double.isFinite(value.getAsDouble()))) {
            throw new IllegalArgumentException(name + ": must be above 0, found " + value.getAsDouble());
        }
    }
}
