package io.inferwatch.analytics.change;

import io.inferwatch.analytics.change.ChangeRule.Energy;
import io.inferwatch.analytics.change.ChangeRule.Gates;
import io.inferwatch.analytics.change.ChangeRule.Levels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Where a series of runs changed its level. Single wild values are clipped, candidates found, and the weakest candidate taken away and its neighbours measured anew, until all that are left pass every
 * gate. Deterministic. n values take n^2 / 2 steps, of some 20 ns each.
 *
 * @param confirmed changes, in their order
 * @param suspect a level that has begun within the last few values, too few for a change
 */
public record Changes(List<Change> confirmed, Optional<Change> suspect) {
    /** Copies. */
    public Changes {
        confirmed = List.copyOf(confirmed);
    }

    /**
     * Looks at a whole series.
     *
     * @param values in the order of the runs; finite
     */
    public static Changes of(double[] values, ChangeRule rule) {
        for (double value : values) {
            if (!Double.isFinite(value)) {
                throw new IllegalArgumentException("values: must be finite, found " + value);
            }
        }
        return values.length == 0 ? new Changes(List.of(), Optional.empty()) : new Search(values, rule).changes();
    }

    private static final class Search {
        private final double[] values;
        private final double[] clipped;
        private final ChangeRule rule;
        private final Levels levels;
        private final SegmentCost cost;

        Search(double[] values, ChangeRule rule) {
            this.values = values;
            this.rule = rule;
            clipped =
                    Hampel.clipped(values, rule.clip().halfWidth(), rule.clip().sigmas());
            // Intervals are measured by the same cost, whoever found the candidates.
            levels = rule.candidates() instanceof Levels own ? own : (Levels) ChangeRule.STANDARD.candidates();
            cost = new SegmentCost(standardised(clipped), levels);
        }

        Changes changes() {
            List<Integer> cuts = new ArrayList<>(candidates());
            keepStrong(cuts, rule.change());
            List<Change> confirmed = new ArrayList<>();
            for (int i = 0; i < cuts.size(); i++) {
                confirmed.add(change(begin(cuts, i), cuts.get(i), end(cuts, i), rule.change()));
            }
            int last = cuts.isEmpty() ? 0 : cuts.get(cuts.size() - 1);
            return new Changes(confirmed, suspect(last));
        }

        private List<Integer> candidates() {
            int[] cuts = rule.candidates() instanceof Energy energy
                    ? EnergyDivisive.of(values, energy)
                    : Partition.of(cost, values.length, levels.price(), levels.minLength());
            return Arrays.stream(cuts).boxed().toList();
        }

        private void keepStrong(List<Integer> cuts, Gates gates) {
            while (true) {
                int weakest = -1;
                double least = 1;
                for (int i = 0; i < cuts.size(); i++) {
                    double strength = gates.strength(step(begin(cuts, i), cuts.get(i), end(cuts, i), gates));
                    if (strength < least) {
                        least = strength;
                        weakest = i;
                    }
                }
                if (weakest < 0) {
                    return;
                }
                cuts.remove(weakest);
            }
        }

        private static int begin(List<Integer> cuts, int i) {
            return i == 0 ? 0 : cuts.get(i - 1);
        }

        private int end(List<Integer> cuts, int i) {
            return i == cuts.size() - 1 ? values.length : cuts.get(i + 1);
        }

        private Step step(int from, int cut, int to, Gates gates) {
            return Step.of(values, clipped, from, cut, to, gates.blocks());
        }

        private Change change(int from, int cut, int to, Gates gates) {
            double best = Double.POSITIVE_INFINITY;
            for (int at = from + 1; at < to; at++) {
                best = Math.min(best, cost.of(from, at) + cost.of(at, to));
            }
            int earliest = cut;
            int latest = cut;
            for (int at = from + 1; at < to; at++) {
                if (cost.of(from, at) + cost.of(at, to) <= best + rule.nearlyAsGood()) {
                    earliest = Math.min(earliest, at);
                    latest = Math.max(latest, at);
                }
            }
            return new Change(cut, earliest, latest, step(from, cut, to, gates));
        }

        /** Of the cuts that leave too few values for a change the most likely one, if it passes. */
        private Optional<Change> suspect(int from) {
            int to = values.length;
            int cut = -1;
            double best = Double.POSITIVE_INFINITY;
            int first = Math.max(
                    from + rule.change().minLength(), to - rule.change().minLength() + 1);
            for (int at = first; at <= to - rule.suspect().minLength(); at++) {
                double sum = cost.of(from, at) + cost.of(at, to);
                if (sum < best) {
                    best = sum;
                    cut = at;
                }
            }
            if (cut < 0 || rule.suspect().strength(step(from, cut, to, rule.suspect())) < 1) {
                return Optional.empty();
            }
            return Optional.of(change(from, cut, to, rule.suspect()));
        }

        /** In standard deviations from the mean; all 0 where nothing varies. */
        private static double[] standardised(double[] values) {
            double mean = Arrays.stream(values).average().orElse(0);
            double variance = Arrays.stream(values)
                    .map(value -> (value - mean) * (value - mean))
                    .average()
                    .orElse(0);
            double scale = variance == 0 ? 1 : Math.sqrt(variance);
            return Arrays.stream(values).map(value -> (value - mean) / scale).toArray();
        }
    }
}
