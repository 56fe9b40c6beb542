package io.inferwatch.analytics.drift;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.analytics.Latencies;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The same in more rounds, and for a baseline of a million. */
@Tag("slow")
class DriftRatesLongTest extends DriftRatesTest {
    @Override
    int rounds() {
        return 10_000;
    }

    @ParameterizedTest(name = "{0} against {1}, times {2}: {3} to {4}, seed 1")
    @CsvSource({
        "100000, 1000000, 1.03, 0.007, 0.017",
        "100000, 1000000, 1.00, 0,     0.003",
        // Published 0.67; drawing nothing but the two counts from their binomial distributions gives 0.72 in 4,000
        // rounds.
        "100000, 1000000, 1.06, 0.72,  0.72",
        "100000, 1000000, 1.10, 1.00,  1.00"
    })
    void largeWindows(int currentN, int baselineN, double factor, double least, double most) {
        assertPublished(rounds / 4, currentN, baselineN, factor, least, most);
    }

    /** Without any change: 197,100 sigma^2 values a side are published to make the effect 3 %, on average; with more it is surely less. */
    @Test
    void threePercentCanBeRuledOutWithEnoughValuesSeed8() {
        double least = noDrift(126_144);
        double more = noDrift(200_000);
        report("no drift without change: 126144 each %.4f, 200000 %.4f", least, more);
        assertThat(least).isBetween(0.25, 0.75);
        assertThat(more).isGreaterThan(0.9);
    }

    private double noDrift(int n) {
        SplittableRandom random = new SplittableRandom(8);
        return share(rounds / 20, () -> {
            Comparison comparison =
                    compare(Latencies.LOGNORMAL.tailOf(n, 1, random), Latencies.LOGNORMAL.tailOf(n, 1, random));
            return Finding.of(comparison, null, DriftRule.SLOWER).verdict() == Verdict.NO_DRIFT;
        });
    }
}
