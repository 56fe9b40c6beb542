package io.inferwatch.probes.load;

import io.inferwatch.analytics.schedule.Gaps;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** An open loop: conversations, or single requests, begin after gaps that are drawn, whatever became of those before. Ends with its last step, or with its last request. */
final class RateWorkload implements Workload {
    private static final double NANOS_PER_SECOND = 1e9;

    private final List<Step> steps;
    private final int burst;
    private final RequestMaker maker;
    private final long conversations;
    private final SplittableRandom random;

    private int step = -1;
    private long stepEndNanos;
    private long atNanos;
    private @Nullable DoubleSupplier gaps;
    private int leftOfBurst;
    private long next;

    /**
     * A time with one distribution of gaps.
     *
     * @param gaps empty for silence
     * @param lengthNanos {@link Long#MAX_VALUE} for one without end
     */
    record Step(Optional<Gaps> gaps, long lengthNanos) {}

    /**
     * Steps one after the other.
     *
     * @param burst how many requests come at once at each arrival
     * @param conversations most of them; {@link Long#MAX_VALUE} for no limit
     */
    RateWorkload(List<Step> steps, int burst, RequestMaker maker, long conversations, long seed) {
        this.steps = List.copyOf(steps);
        this.burst = burst;
        this.maker = maker;
        this.conversations = conversations;
        this.random = new SplittableRandom(seed);
    }

    @Override
    public @Nullable PlannedRequest next() {
        if (next >= conversations) {
            return null;
        }
        if (leftOfBurst == 0) {
            if (!advance()) {
                return null;
            }
            leftOfBurst = burst;
        }
        leftOfBurst--;
        return maker.make(next++, atNanos, step);
    }

    /** To the next arrival; false when there is none. */
    private boolean advance() {
        while (true) {
            DoubleSupplier present = gaps;
            if (present != null) {
                atNanos += Math.round(present.getAsDouble() * NANOS_PER_SECOND);
                if (atNanos < stepEndNanos) {
                    return true;
                }
            }
            if (++step >= steps.size()) {
                step = steps.size();
                gaps = null;
                return false;
            }
            Step begun = steps.get(step);
            atNanos = stepEndNanos;
            stepEndNanos = begun.lengthNanos() == Long.MAX_VALUE ? Long.MAX_VALUE : stepEndNanos + begun.lengthNanos();
            gaps = begun.gaps()
                    .map(distribution -> distribution.sampler(random::nextLong))
                    .orElse(null);
        }
    }
}
