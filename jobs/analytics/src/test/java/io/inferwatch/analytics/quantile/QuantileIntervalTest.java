package io.inferwatch.analytics.quantile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantileIntervalTest {
    private static final double CONFIDENCE = 0.95;

    /** The published table of P99 at 95 %. */
    @ParameterizedTest
    @CsvSource({
        "368, 360, 368",
        "500, 490, 500",
        "1000, 983, 997",
        "2000, 1971, 1989",
        "5000, 4936, 4964",
        "20000, 19772, 19828"
    })
    void ranksOfTheTable(int n, long lower, long upper) {
        assertThat(QuantileInterval.Ranks.of(n, 0.99, CONFIDENCE)).isEqualTo(new QuantileInterval.Ranks(lower, upper));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5, 6, 10, 50, 299, 367, 368, 400, 1_500})
    void ranksAreThoseOfTheDefinitionInExactArithmetic(int n) {
        for (String p : new String[] {"0.5", "0.9", "0.99"}) {
            BigDecimal cumulated = BigDecimal.ZERO;
            long lower = 0;
            long upper = n + 1L;
            for (int k = 0; k < n; k++) {
                cumulated = cumulated.add(probability(n, k, new BigDecimal(p)));
                // P(Bin(n, p) <= l - 1) <= 0.025 with l = k + 1, P(Bin(n, p) <= u - 1) >= 0.975 with u = k + 1.
                if (cumulated.compareTo(new BigDecimal("0.025")) <= 0) {
                    lower = k + 1L;
                }
                if (cumulated.compareTo(new BigDecimal("0.975")) >= 0) {
                    upper = k + 1L;
                    break;
                }
            }
            assertThat(QuantileInterval.Ranks.of(n, Double.parseDouble(p), CONFIDENCE))
                    .as("n %d, p %s", n, p)
                    .isEqualTo(new QuantileInterval.Ranks(lower, upper));
        }
    }

    @Test
    void p99IsNotEstimableBelow368Values() {
        assertThat(QuantileInterval.of(new QuantileSketch(), 0.99, CONFIDENCE)).isEmpty();
        for (int n : new int[] {1, 100, 299, 367}) {
            assertThat(QuantileInterval.of(ramp(n), 0.99, CONFIDENCE))
                    .as("n %d", n)
                    .isEmpty();
        }
        assertThat(QuantileInterval.of(ramp(368), 0.99, CONFIDENCE)).isPresent();
        assertThat(QuantileInterval.of(ramp(5), 0.5, CONFIDENCE)).isEmpty();
        assertThat(QuantileInterval.of(ramp(6), 0.5, CONFIDENCE)).isPresent();
    }

    /** Published: 368 and, one-sided, 299 for P99; 1 - p^n reaches 1 - a/2 first at n, in exact arithmetic. */
    @ParameterizedTest
    @CsvSource({
        "0.99, 0.95, 368",
        "0.99, 0.9, 299",
        "0.5, 0.95, 6",
        "0.9, 0.95, 36",
        "0.999, 0.95, 3688",
        "0.5, 0.75, 3",
        "0.01, 0.5, 1"
    })
    void theLeastNIsWhereAnUpperLimitExists(String p, String confidence, int expected) {
        BigDecimal half = BigDecimal.ONE.subtract(new BigDecimal(confidence)).divide(BigDecimal.valueOf(2));
        int n = 1;
        while (new BigDecimal(p).pow(n, new MathContext(60)).compareTo(half) > 0) {
            n++;
        }
        assertThat(n).isEqualTo(expected);
        assertThat(QuantileInterval.minimumN(Double.parseDouble(p), Double.parseDouble(confidence)))
                .isEqualTo(expected);
    }

    @Test
    void limitsAreTheBucketsOfTheRanks() {
        QuantileInterval interval =
                QuantileInterval.of(ramp(5_000), 0.99, CONFIDENCE).orElseThrow();
        // Values are rank * 1000, ranks 4936 and 4964; a bucket is 0.74 % wide.
        assertThat(interval.low()).isBetween(4_936_000 / 1.0075, 4_936_000.0);
        assertThat(interval.high()).isBetween(4_964_000.0, 4_964_000 * 1.0075);
    }

    @Test
    void aLowerLimitThatNoRankGivesIsZero() {
        QuantileInterval interval =
                QuantileInterval.of(ramp(40), 0.05, CONFIDENCE).orElseThrow();
        assertThat(interval.low()).isZero();
    }

    @Test
    void limitsNeverLieOutsideTheValues() {
        QuantileSketch sketch = new QuantileSketch();
        sketch.add(777, 10_000);
        assertThat(QuantileInterval.of(sketch, 0.99, CONFIDENCE))
                .isEqualTo(Optional.of(new QuantileInterval(777, 777)));
    }

    /** In 4,000 rounds the share of hits has a standard error of 0.34 points; nominal is 95 %, three errors below it 94 %. */
    @ParameterizedTest
    @ValueSource(ints = {368, 500, 1_000, 2_000})
    void theLimitsHoldTheTrueQuantileAsOftenAsPromised(int n) {
        SplittableRandom random = new SplittableRandom(n);
        double mean = 100_000;
        double truth = -mean * Math.log(0.01);
        int rounds = 4_000;
        int held = 0;
        for (int round = 0; round < rounds; round++) {
            QuantileSketch sketch = new QuantileSketch();
            for (int i = 0; i < n; i++) {
                sketch.add((long) (-mean * Math.log(1 - random.nextDouble())));
            }
            QuantileInterval interval =
                    QuantileInterval.of(sketch, 0.99, CONFIDENCE).orElseThrow();
            if (interval.low() <= truth && truth <= interval.high()) {
                held++;
            }
        }
        assertThat((double) held / rounds).isGreaterThanOrEqualTo(0.95);
    }

    @Test
    void largeNumbersOfValuesHaveLimitsToo() {
        QuantileSketch sketch = new QuantileSketch();
        sketch.add(10, 3_000_000_000L);
        sketch.add(20, 3_000_000_000L);
        assertThat(QuantileInterval.of(sketch, 0.99, CONFIDENCE)).isPresent();
        // Both ways of counting agree where they meet.
        long n = Integer.MAX_VALUE;
        for (double p : new double[] {0.5, 0.9, 0.99, 0.999}) {
            QuantileInterval.Ranks exact = QuantileInterval.Ranks.of(n, p, CONFIDENCE);
            QuantileInterval.Ranks normal = QuantileInterval.Ranks.of(n + 1, p, CONFIDENCE);
            assertThat(exact.lower() - normal.lower()).as("lower, p %s", p).isBetween(0L, 5L);
            assertThat(normal.upper() - exact.upper()).as("upper, p %s", p).isBetween(0L, 5L);
        }
    }

    @Test
    void refusesWhatIsNoProbability() {
        for (double p : new double[] {0, 1, -1, Double.NaN}) {
            assertThatThrownBy(() -> QuantileInterval.of(ramp(1_000), p, CONFIDENCE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("p, confidence: must be above 0 and below 1, found " + p + ", 0.95");
        }
    }

    private static QuantileSketch ramp(int n) {
        QuantileSketch sketch = new QuantileSketch();
        for (int rank = 1; rank <= n; rank++) {
            sketch.add(rank * 1_000L);
        }
        return sketch;
    }

    private static BigDecimal probability(int n, int k, BigDecimal p) {
        MathContext precision = new MathContext(60);
        BigDecimal combinations = BigDecimal.ONE;
        for (int i = 1; i <= k; i++) {
            combinations = combinations
                    .multiply(BigDecimal.valueOf(n - k + i), precision)
                    .divide(BigDecimal.valueOf(i), precision);
        }
        return combinations
                .multiply(p.pow(k, precision), precision)
                .multiply(BigDecimal.ONE.subtract(p).pow(n - k, precision), precision);
    }
}
