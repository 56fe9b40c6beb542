package io.inferwatch.analytics.drift;

import io.inferwatch.analytics.mix.Decomposition;
import org.jspecify.annotations.Nullable;

/**
 * A verdict on the latest windows of a key, with what it rests on.
 *
 * @param windows how many windows were united
 * @param units how many units these windows are: what {@link Persistence} counts in
 * @param isByHourClass whether the baseline is the same hour of earlier days; else the windows before
 * @param raw all requests, whatever they asked
 * @param adjusted as if the traffic's mix were still the baseline's; null where the sample knows no mix
 * @param current the windows judged
 * @param baseline what they are compared with
 * @param parts the change of the quantile as server and traffic; null where it cannot be told
 * @param meanParts the same for the mean
 * @param covered share of the values whose like the other side has too; 1 where the sample knows no mix
 */
public record Judged(
        int windows,
        int units,
        boolean isByHourClass,
        Finding raw,
        @Nullable Finding adjusted,
        Sample current,
        Sample baseline,
        @Nullable Decomposition parts,
        @Nullable Decomposition meanParts,
        double covered) {

    /** The finding that speaks of the server: the adjusted one where the mix is known. */
    public Finding server() {
        return adjusted == null ? raw : adjusted;
    }
}
