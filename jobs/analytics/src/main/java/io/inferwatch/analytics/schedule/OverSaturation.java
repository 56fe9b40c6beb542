package io.inferwatch.analytics.schedule;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.ToDoubleFunction;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * Tells that a server no longer keeps up with the rate at which it is asked: over the last two minutes both the requests in flight and the time to first token rise, surely, and
 * half of the requests wait longer than is tolerable. Rises are slopes of least squares whose 95 % limits (Student's t) lie above zero; a second is one point, since requests of one second resemble
 * each other. Nothing is said in the first half minute. Not thread safe.
 *
 * <p>The rule is GuideLLM's, but for the width of the limits: there they may be twice the slope, with which servers that are busy and keep up are found out of chance within minutes.
 */
public final class OverSaturation {
    private static final int WINDOW_SECONDS = 120;
    private static final int LEAST_SECONDS = 30;
    private static final int LEAST_POINTS = 5;
    private static final double UPPER = 0.975;

    private final double tolerableTtftSeconds;
    private final Deque<Second> seconds = new ArrayDeque<>();
    private long seen;

    /**
     * What happened within one second.
     *
     * @param inFlight requests open at its end
     * @param firstTokens requests whose first token came
     * @param ttftSeconds sum of their times to first token
     * @param slow how many of them took longer than tolerable
     */
    private record Second(long number, double inFlight, long firstTokens, double ttftSeconds, long slow) {
        double meanTtft() {
            return ttftSeconds / firstTokens;
        }
    }

    /** A detector for which times to first token up to this are tolerable; GuideLLM's is 2.5 s. */
    public OverSaturation(double tolerableTtftSeconds) {
        if (!(tolerableTtftSeconds > 0)) {
            throw new IllegalArgumentException("tolerable TTFT: must be above 0, found " + tolerableTtftSeconds);
        }
        this.tolerableTtftSeconds = tolerableTtftSeconds;
    }

    /** The next second: the requests open at its end, and the times to first token of those whose first token came in it. */
    public void second(long inFlight, double... ttftSeconds) {
        double sum = 0;
        long slow = 0;
        for (double ttft : ttftSeconds) {
            sum += ttft;
            slow += ttft > tolerableTtftSeconds ? 1 : 0;
        }
        seconds.addLast(new Second(seen++, inFlight, ttftSeconds.length, sum, slow));
        if (seconds.size() > WINDOW_SECONDS) {
            seconds.removeFirst();
        }
    }

    /** Whether it shows, as of the last second. */
    public boolean isReached() {
        long firstTokens = seconds.stream().mapToLong(Second::firstTokens).sum();
        long slow = seconds.stream().mapToLong(Second::slow).sum();
        return seen >= LEAST_SECONDS
                && 2 * slow >= firstTokens
                && firstTokens > 0
                && rises(Second::inFlight, false)
                && rises(Second::meanTtft, true);
    }

    private boolean rises(ToDoubleFunction<Second> value, boolean needsFirstTokens) {
        double[] x = points(Second::number, needsFirstTokens);
        double[] y = points(value, needsFirstTokens);
        int n = x.length;
        if (n < LEAST_POINTS) {
            return false;
        }
        double meanX = mean(x);
        double meanY = mean(y);
        double xx = 0;
        double xy = 0;
        double yy = 0;
        for (int i = 0; i < n; i++) {
            xx += (x[i] - meanX) * (x[i] - meanX);
            xy += (x[i] - meanX) * (y[i] - meanY);
            yy += (y[i] - meanY) * (y[i] - meanY);
        }
        double slope = xy / xx;
        double residual = Math.max(0, yy - slope * xy);
        double error = Math.sqrt(residual / (n - 2) / xx);
        double halfWidth = TDistribution.of(n - 2).inverseCumulativeProbability(UPPER) * error;
        return slope > 0 && halfWidth < slope;
    }

    private double[] points(ToDoubleFunction<Second> value, boolean needsFirstTokens) {
        return seconds.stream()
                .filter(second -> !needsFirstTokens || second.firstTokens() > 0)
                .mapToDouble(value)
                .toArray();
    }

    private static double mean(double[] values) {
        double sum = 0;
        for (double value : values) {
            sum += value;
        }
        return sum / values.length;
    }
}
