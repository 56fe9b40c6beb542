package io.inferwatch.analytics.drift;

import io.inferwatch.analytics.Latencies;
import io.inferwatch.analytics.drift.DriftHistory.Step;
import io.inferwatch.analytics.drift.Sample.Values;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;

/** A key with so many latencies a minute, whose minutes differ by nature; and what its history says of them. */
final class SimulatedKey {
    static final long MINUTE_MICROS = Duration.ofMinutes(1).toNanos() / 1_000;

    private final Latencies kind;
    private final int n;
    private final double tau;
    private final double correlation;
    private final SplittableRandom random;
    private final DriftHistory history = new DriftHistory(Duration.ofMinutes(1));
    private double nature;
    private long endMicros;
    private Persistence persistence = Persistence.NONE;

    /**
     * A key before its first minute.
     *
     * @param tau standard deviation of the logarithm by which a minute is slower than another
     * @param correlation of that of neighbouring minutes
     */
    SimulatedKey(Latencies kind, int n, double tau, double correlation, SplittableRandom random) {
        this.kind = kind;
        this.n = n;
        this.tau = tau;
        this.correlation = correlation;
        this.random = random;
        this.nature = gaussian(random);
    }

    /** The next minute, with latencies times a factor. */
    Step next(double factor) {
        nature = correlation * nature + Math.sqrt(1 - correlation * correlation) * gaussian(random);
        endMicros += MINUTE_MICROS;
        Values window = Values.of(kind.tailOf(n, factor * Math.exp(tau * nature), random));
        Step step =
                history.observe(window, endMicros, Optional.empty(), new Statistic.Quantile(0.99), DriftRule.SLOWER);
        step.judged()
                .ifPresent(judged -> persistence = step.rebased()
                        ? Persistence.NONE
                        : persistence.after(judged.server().verdict(), judged.units()));
        return step;
    }

    boolean isConfirmed() {
        return persistence.confirmed();
    }

    static boolean isDrift(Step step) {
        return step.judged()
                .filter(judged -> judged.server().verdict() == Verdict.DRIFT)
                .isPresent();
    }

    private static double gaussian(SplittableRandom random) {
        return Math.sqrt(-2 * Math.log(1 - random.nextDouble())) * Math.cos(2 * Math.PI * random.nextDouble());
    }
}
