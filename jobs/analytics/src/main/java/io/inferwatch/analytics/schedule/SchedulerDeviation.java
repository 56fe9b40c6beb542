package io.inferwatch.analytics.schedule;

import io.inferwatch.analytics.shape.Estimate;
import io.inferwatch.analytics.shape.Spread;

/**
 * How far an engine's scheduler is from an ideal one, in three measures and one index:
 *
 * <ul>
 *   <li>sigma_lat, the coefficient of variation of requests' latency, so that fast and slow models compare. Ideal is that of their lengths:
 *       every token takes the same time, and a request twice as long twice as much.
 *   <li>eta_util, the coefficient of variation of the GPU's utilisation over sampling windows. Ideal is 0: even work.
 *   <li>rho_fill, the share of the batch's places that are filled. Ideal is that of a scheduler which leaves no place empty while somebody
 *       waits.
 * </ul>
 *
 * <p>Deviations are from 0, the ideal, to 1. A latency that is length times a time for each token that varies by itself by c has
 * 1 + sigma_lat^2 = (1 + sigma_length^2)(1 + c^2), so that its deviation, 1 - (1 + sigma_length^2) / (1 + sigma_lat^2) = c^2 / (1 + c^2), is what
 * scheduling adds to what lengths explain; utilisation is measured the same way, eta^2 / (1 + eta^2). The index is the root of their mean
 * square: the distance from the ideal corner of the cube, of the greatest possible.
 *
 * @param latencyVariation sigma_lat with its limits
 * @param idealLatencyVariation the lengths' own
 * @param latencySigmaMicros standard deviation of latencies, microseconds; its square is their variance
 * @param utilisationVariation eta_util with its limits
 * @param fillRate rho_fill
 * @param idealFillRate of a scheduler that never leaves a place empty while somebody waits
 */
public record SchedulerDeviation(
        Estimate latencyVariation,
        double idealLatencyVariation,
        double latencySigmaMicros,
        Estimate utilisationVariation,
        double fillRate,
        double idealFillRate) {

    /**
     * The deviation of an engine over some time.
     *
     * @param latencyMicros of whole requests: who waits for a place is the scheduler's doing too
     * @param lengths of the same requests, tokens generated
     * @param utilisation of the GPU, by sampling windows of equal length
     * @param fill with samples in which somebody wanted a place
     */
    public static SchedulerDeviation of(Spread latencyMicros, Spread lengths, Spread utilisation, BatchFill fill) {
        if (fill.wanted() == 0) {
            throw new IllegalArgumentException("fill: must have samples with requests, found none");
        }
        return new SchedulerDeviation(
                latencyMicros.variation(),
                lengths.variation().value(),
                latencyMicros.variation().value() * latencyMicros.mean().value(),
                utilisation.variation(),
                fill.rate().orElseThrow(),
                fill.idealRate().orElseThrow());
    }

    /** How far latency is from what lengths explain; 0 where it varies no more than they do. */
    public double latencyDeviation() {
        double own = 1 + idealLatencyVariation * idealLatencyVariation;
        return Math.max(0, 1 - own / (1 + latencyVariation.value() * latencyVariation.value()));
    }

    /** How far utilisation is from even. */
    public double utilisationDeviation() {
        double squared = utilisationVariation.value() * utilisationVariation.value();
        return squared / (1 + squared);
    }

    /** How far batches are from as full as they could be. */
    public double fillDeviation() {
        return 1 - fillRate / idealFillRate;
    }

    /** The joint index, from 0, ideal, to 1. */
    public double index() {
        double squares =
                Math.pow(latencyDeviation(), 2) + Math.pow(utilisationDeviation(), 2) + Math.pow(fillDeviation(), 2);
        return Math.sqrt(squares / 3);
    }
}
