package io.inferwatch.analytics.shape;

import java.util.List;
import java.util.Optional;

/**
 * The exponent b of y = a x^b, by weighted least squares on logarithms of the means of buckets of x. That is enough where buckets are
 * narrow: within one of ratio r the mean of x^b differs from the mean's power by b (b - 1) ln(r)^2 / 24, 0.2 % for b = 1.3 and r = 1.4, and by
 * the same in every bucket, so that it goes into a and leaves b alone. Weights are the inverse variances of the means' logarithms.
 * Where buckets lie further from the line than these variances say (it is no power law, or times in a bucket hang together), the error
 * grows with them; limits have Student's distribution with two degrees of freedom less than buckets.
 */
public final class PowerLaw {
    private static final int MIN_POINTS = 3;

    private PowerLaw() {}

    /**
     * A bucket.
     *
     * @param x mean of x in it, above 0
     * @param y mean of y in it, above 0
     * @param squaredError variance of the mean of y, over its square; above 0
     */
    public record Point(double x, double y, double squaredError) {}

    /** The exponent; empty with fewer than {@value #MIN_POINTS} buckets, or all at the same x. */
    public static Optional<Estimate> exponent(List<Point> points) {
        double weights = 0;
        double x = 0;
        double y = 0;
        for (Point point : points) {
            weights += 1 / point.squaredError;
            x += Math.log(point.x) / point.squaredError;
            y += Math.log(point.y) / point.squaredError;
        }
        x /= weights;
        y /= weights;
        double xx = 0;
        double xy = 0;
        for (Point point : points) {
            double dx = Math.log(point.x) - x;
            xx += dx * dx / point.squaredError;
            xy += dx * (Math.log(point.y) - y) / point.squaredError;
        }
        if (points.size() < MIN_POINTS || !(xx > 0)) {
            return Optional.empty();
        }
        double slope = xy / xx;
        double misfit = 0;
        for (Point point : points) {
            double off = Math.log(point.y) - y - slope * (Math.log(point.x) - x);
            misfit += off * off / point.squaredError;
        }
        double freedom = points.size() - 2;
        double error = Math.sqrt(Math.max(1, misfit / freedom) / xx);
        return Optional.of(Estimate.around(slope, Estimate.reach(freedom) * error));
    }
}
