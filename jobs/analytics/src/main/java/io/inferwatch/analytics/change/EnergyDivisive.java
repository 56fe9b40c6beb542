package io.inferwatch.analytics.change;

import io.inferwatch.analytics.change.ChangeRule.Energy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * Hierarchical division by energy distance with a t test, as nightly benchmarks are widely judged [Matteson and James 2014; Fleming et al. 2023, arXiv:2301.03034]: the peer of the benchmark,
 * and candidates for who wants them. Windows that overlap are divided where the energy statistic is greatest as long as a t test of the neighbours agrees; then what fails the stricter
 * test, and what is too small, is merged again, weakest first. Its t test has equal variances with divisor n, as published.
 */
public final class EnergyDivisive {
    private final double[] values;
    private final Energy rule;

    private EnergyDivisive(double[] values, Energy rule) {
        this.values = values;
        this.rule = rule;
    }

    /** Where new levels begin, rising. */
    public static int[] of(double[] values, Energy rule) {
        EnergyDivisive division = new EnergyDivisive(values, rule);
        List<Integer> cuts = division.divided();
        division.merge(cuts);
        return cuts.stream().mapToInt(Integer::intValue).toArray();
    }

    private List<Integer> divided() {
        List<Integer> all = new ArrayList<>();
        for (int from = 0; from < values.length; ) {
            int to = Math.min(values.length, from + rule.window());
            List<Integer> found = new ArrayList<>();
            while (true) {
                int cut = best(from, to, found);
                if (cut < 0
                        || p(before(found, cut, from), cut, after(found, cut, to)) > rule.p() * rule.firstFactor()) {
                    break;
                }
                insert(found, cut);
            }
            found.forEach(cut -> insert(all, cut));
            int last = found.isEmpty() ? 0 : found.get(found.size() - 1);
            from = Math.max(last, from + rule.window() / 2);
        }
        return all;
    }

    private static void insert(List<Integer> cuts, int cut) {
        int at = Arrays.binarySearch(cuts.toArray(), cut);
        if (at < 0) {
            cuts.add(-at - 1, cut);
        }
    }

    private static int before(List<Integer> cuts, int cut, int from) {
        return cuts.stream()
                .mapToInt(Integer::intValue)
                .filter(other -> other < cut)
                .max()
                .orElse(from);
    }

    private static int after(List<Integer> cuts, int cut, int to) {
        return cuts.stream()
                .mapToInt(Integer::intValue)
                .filter(other -> other > cut)
                .min()
                .orElse(to);
    }

    private int best(int from, int to, List<Integer> found) {
        Split best = new Split(-1, Double.NEGATIVE_INFINITY);
        int start = from;
        for (int i = 0; i <= found.size(); i++) {
            int end = i < found.size() ? found.get(i) : to;
            Split split = split(start, end);
            best = split.statistic > best.statistic ? split : best;
            start = end;
        }
        return best.cut;
    }

    private record Split(int cut, double statistic) {}

    /** The cut, and the end of what is held against it, with the greatest statistic; the end is forgotten. */
    private Split split(int from, int to) {
        Split best = new Split(-1, Double.NEGATIVE_INFINITY);
        double left = 0;
        for (int cut = from + 1; cut < to; cut++) {
            left += distances(cut - 1, from, cut - 1);
            double across = 0;
            double right = 0;
            for (int end = cut + 1; end <= to; end++) {
                across += distances(end - 1, from, cut);
                right += distances(end - 1, cut, end - 1);
                double n = cut - from;
                double m = end - cut;
                double statistic = 2 / (m + n) * across
                        - (n > 1 ? 2 * m / ((m + n) * (n - 1)) * left : 0)
                        - (m > 1 ? 2 * n / ((m + n) * (m - 1)) * right : 0);
                if (statistic > best.statistic) {
                    best = new Split(cut, statistic);
                }
            }
        }
        return best;
    }

    private double distances(int of, int from, int to) {
        double sum = 0;
        for (int i = from; i < to; i++) {
            sum += Math.abs(values[of] - values[i]);
        }
        return sum;
    }

    private void merge(List<Integer> cuts) {
        while (!cuts.isEmpty()) {
            int weakest = 0;
            double greatestP = -1;
            int smallest = 0;
            double least = Double.POSITIVE_INFINITY;
            for (int i = 0; i < cuts.size(); i++) {
                int from = i == 0 ? 0 : cuts.get(i - 1);
                int to = i == cuts.size() - 1 ? values.length : cuts.get(i + 1);
                double p = p(from, cuts.get(i), to);
                double magnitude = magnitude(from, cuts.get(i), to);
                if (p > greatestP) {
                    greatestP = p;
                    weakest = i;
                }
                if (magnitude < least) {
                    least = magnitude;
                    smallest = i;
                }
            }
            if (greatestP < rule.p() && least > rule.magnitude()) {
                return;
            }
            cuts.remove(greatestP < rule.p() ? smallest : weakest);
        }
    }

    private double magnitude(int from, int cut, int to) {
        double before = mean(from, cut);
        double after = mean(cut, to);
        return Math.max(Math.abs(after / before - 1), Math.abs(before / after - 1));
    }

    private double p(int from, int cut, int to) {
        int freedom = to - from - 2;
        if (freedom < 1) {
            return 1;
        }
        double n = cut - from;
        double m = to - cut;
        double difference = mean(cut, to) - mean(from, cut);
        double pooled = ((n - 1) * variance(from, cut) + (m - 1) * variance(cut, to)) / freedom;
        if (pooled == 0) {
            return difference == 0 ? 1 : 0;
        }
        return 2
                * TDistribution.of(freedom)
                        .survivalProbability(Math.abs(difference) / Math.sqrt(pooled * (1 / n + 1 / m)));
    }

    private double mean(int from, int to) {
        double sum = 0;
        for (int i = from; i < to; i++) {
            sum += values[i];
        }
        return sum / (to - from);
    }

    private double variance(int from, int to) {
        double mean = mean(from, to);
        double sum = 0;
        for (int i = from; i < to; i++) {
            sum += (values[i] - mean) * (values[i] - mean);
        }
        return sum / (to - from);
    }
}
