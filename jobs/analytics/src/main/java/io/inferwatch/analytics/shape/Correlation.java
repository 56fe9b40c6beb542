package io.inferwatch.analytics.shape;

import io.inferwatch.analytics.drift.Moments;
import java.util.List;
import java.util.Optional;

/**
 * Pearson's correlation of two shares whose joint distribution is known by the cells of a grid, and in each cell by the moments of either.
 * Variances are whole; of the covariance only the part between cells is known, and that within them taken as none: in cells of a
 * tenth by a tenth at most 0.0025 of it, and none where the two do not hang together within so little. Limits by Fisher's transformation
 * [Fisher 1915], which holds for distributions that are not far from normal.
 */
public final class Correlation {
    private Correlation() {}

    /** A cell with both moments over the same values. */
    public record Cell(Moments x, Moments y) {}

    /** The correlation; empty below {@value Estimate#MIN_N} values, and where one of the two does not vary. */
    public static Optional<Estimate> of(List<Cell> cells) {
        double n = cells.stream().mapToLong(cell -> cell.x.n()).sum();
        double x =
                cells.stream().mapToDouble(cell -> cell.x.n() * cell.x.mean()).sum() / n;
        double y =
                cells.stream().mapToDouble(cell -> cell.x.n() * cell.y.mean()).sum() / n;
        double xx = 0;
        double yy = 0;
        double xy = 0;
        for (Cell cell : cells) {
            double count = cell.x.n();
            double dx = cell.x.mean() - x;
            double dy = cell.y.mean() - y;
            xx += count * dx * dx + (count - 1) * cell.x.variance();
            yy += count * dy * dy + (count - 1) * cell.y.variance();
            xy += count * dx * dy;
        }
        if (n < Estimate.MIN_N || !(xx > 0) || !(yy > 0)) {
            return Optional.empty();
        }
        double r = Math.max(-1, Math.min(1, xy / Math.sqrt(xx * yy)));
        double z = 0.5 * Math.log((1 + r) / (1 - r));
        double reach = Estimate.reach() / Math.sqrt(n - 3);
        return Optional.of(new Estimate(r, Math.tanh(z - reach), Math.tanh(z + reach)));
    }
}
