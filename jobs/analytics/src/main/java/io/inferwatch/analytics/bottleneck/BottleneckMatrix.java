package io.inferwatch.analytics.bottleneck;

import java.util.Arrays;
import java.util.OptionalDouble;

/**
 * How long each {@link Limit} held, together with each state of the {@link Links}: whether a device that waits for memory also waits for its
 * host. Times are added exactly, hence merging is the same as adding, in any order; all shares are of the whole time, what is unknown
 * included, so that they add up to one and gaps in the readings do not look like health. 200 bytes; not thread safe.
 */
public final class BottleneckMatrix {
    private final long[][] micros = new long[Limit.values().length][Links.values().length];

    /** What {@link #toMicros} has given. */
    public static BottleneckMatrix ofMicros(long[] state) {
        BottleneckMatrix matrix = new BottleneckMatrix();
        int links = Links.values().length;
        if (state.length != matrix.micros.length * links) {
            throw new IllegalArgumentException(
                    "state: must be " + matrix.micros.length * links + " numbers, found " + state.length);
        }
        for (int limit = 0; limit < matrix.micros.length; limit++) {
            System.arraycopy(state, limit * links, matrix.micros[limit], 0, links);
        }
        return matrix;
    }

    /** All times, as a state: those of each limit by the states of the links, in the enums' order. */
    public long[] toMicros() {
        return Arrays.stream(micros).flatMapToLong(Arrays::stream).toArray();
    }

    /** Adds a window. */
    public void add(Activity activity, BottleneckRule rule) {
        micros[Limit.of(activity, rule).ordinal()][Links.of(activity, rule).ordinal()] += activity.micros();
    }

    /** Adds all windows of another matrix. */
    public void merge(BottleneckMatrix other) {
        for (int limit = 0; limit < micros.length; limit++) {
            for (int links = 0; links < micros[limit].length; links++) {
                micros[limit][links] += other.micros[limit][links];
            }
        }
    }

    /** How long both held. */
    public long micros(Limit limit, Links links) {
        return micros[limit.ordinal()][links.ordinal()];
    }

    /** How long a limit held, whatever the links did. */
    public long micros(Limit limit) {
        long sum = 0;
        for (Links links : Links.values()) {
            sum += micros(limit, links);
        }
        return sum;
    }

    /** How long the links were in a state, whatever the limit was. */
    public long micros(Links links) {
        long sum = 0;
        for (Limit limit : Limit.values()) {
            sum += micros(limit, links);
        }
        return sum;
    }

    /** The whole time. */
    public long micros() {
        long sum = 0;
        for (Limit limit : Limit.values()) {
            sum += micros(limit);
        }
        return sum;
    }

    /** The share of time of a limit; empty without any. */
    public OptionalDouble share(Limit limit) {
        return share(micros(limit));
    }

    /** The share of time of a state of the links; empty without any. */
    public OptionalDouble share(Links links) {
        return share(micros(links));
    }

    /** The share of time in which both held; empty without any. */
    public OptionalDouble share(Limit limit, Links links) {
        return share(micros(limit, links));
    }

    private OptionalDouble share(long part) {
        long all = micros();
        return all == 0 ? OptionalDouble.empty() : OptionalDouble.of((double) part / all);
    }
}
