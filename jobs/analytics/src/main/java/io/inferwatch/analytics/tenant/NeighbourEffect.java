package io.inferwatch.analytics.tenant;

import io.inferwatch.analytics.panel.Contrast;
import io.inferwatch.analytics.panel.Fit;
import io.inferwatch.analytics.panel.Row;
import io.inferwatch.analytics.panel.WithinLeastSquares;
import io.inferwatch.analytics.shape.Estimate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the others' load does to a tenant's latency: least squares of the latency's logarithm on both loads within each replica, so that neither a slow
 * replica nor the tenant's own load is taken for a neighbour. Limits hold however a replica's windows hang together. What was observed is an association: with load
 * that was dealt out at random it is an effect.
 *
 * @param ratio by how much latency is multiplied when the others' load rises from its first to its third quartile
 * @param others the quartiles' distance, in the load's unit
 * @param p chance of a ratio at least so far from 1 if there were no effect
 * @param replicas that tell anything
 * @param windows of all of them
 */
public record NeighbourEffect(Estimate ratio, double others, double p, int replicas, int windows) {
    /**
     * One window of a replica.
     *
     * @param latency of the tenant, above 0
     * @param othersLoad of all other tenants, e.g. tokens a second
     * @param ownLoad of the tenant, in the same unit
     */
    public record Window(double latency, double othersLoad, double ownLoad) {
        /** Checks the latency. */
        public Window {
            if (!(latency > 0 && Double.isFinite(latency))) {
                throw new IllegalArgumentException("latency: must be above 0 and finite, found " + latency);
            }
        }
    }

    /** The effect over replicas; empty where loads do not vary, or fewer than two replicas tell anything. */
    public static Optional<NeighbourEffect> of(List<List<Window>> replicas) {
        List<List<Row>> clusters = new ArrayList<>();
        List<Double> loads = new ArrayList<>();
        for (List<Window> windows : replicas) {
            List<Row> rows = new ArrayList<>();
            for (Window window : windows) {
                rows.add(new Row(Math.log(window.latency), 1, new double[] {window.othersLoad, window.ownLoad}));
                loads.add(window.othersLoad);
            }
            clusters.add(rows);
        }
        if (loads.isEmpty()) {
            return Optional.empty();
        }
        List<Double> sorted = loads.stream().sorted().toList();
        double distance = sorted.get(3 * (sorted.size() - 1) / 4) - sorted.get((sorted.size() - 1) / 4);
        Optional<Fit> fit = WithinLeastSquares.fit(clusters);
        if (distance <= 0 || fit.isEmpty()) {
            return Optional.empty();
        }
        Contrast others = fit.get().coefficient(0);
        return Optional.of(new NeighbourEffect(
                others.times(distance).ratio(), distance, others.p(), fit.get().clusters(), loads.size()));
    }

    /** Whether the tenant is surely slower where its neighbours do more. */
    public boolean isDisturbed() {
        return ratio.low() > 1;
    }
}
