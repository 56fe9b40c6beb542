package io.inferwatch.analytics.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.shape.Spread;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Engines that get skewed lengths. Latency is 20 ms a token, times 1 + c or 1 - c in turns of which lengths know nothing; utilisation is 35 %, times
 * 1 + u or 1 - u; the batch has so many of 64 places filled while a hundred wait. Variations of two values in turns are c and u themselves, that
 * of lengths is 0.8 / sqrt 2, and so everything has a closed form.
 */
class SchedulerDeviationTest {
    private static final int N = 40_000;
    private static final SkewedLengths LENGTHS = new SkewedLengths(512, 0.8);

    @ParameterizedTest
    @CsvSource({
        // engine,  c,   u,   filled, latency, utilisation, fill, index
        "ideal,     0,   0,   64,     0,       0,           0,    0",
        "steady,    0.1, 0.2, 60,     0.00990, 0.03846,     0.0625, 0.04275",
        "jerky,     0.5, 0.6, 48,     0.2,     0.26471,     0.25, 0.23976",
        "starved,   0,   0.5, 16,     0,       0.2,         0.75, 0.44814"
    })
    void deviationsAreWhatWasPutIn(
            String engine,
            double c,
            double u,
            int filled,
            double latency,
            double utilisation,
            double fill,
            double index) {
        SchedulerDeviation deviation = deviation(c, u, filled);
        double variation = Math.sqrt((1 + 0.32) * (1 + c * c) - 1);
        assertThat(deviation.latencyVariation().value()).as(engine).isCloseTo(variation, within(0.005));
        assertThat(deviation.idealLatencyVariation()).isCloseTo(Math.sqrt(0.32), within(0.005));
        assertThat(deviation.latencySigmaMicros()).isCloseTo(variation * 512 * 20_000, within(60_000.0));
        assertThat(deviation.utilisationVariation().value()).isCloseTo(u, within(0.005));
        assertThat(deviation.fillRate()).isEqualTo(filled / 64.0);
        assertThat(deviation.idealFillRate()).isEqualTo(1);
        assertThat(deviation.latencyDeviation()).isCloseTo(latency, within(0.005));
        assertThat(deviation.utilisationDeviation()).isCloseTo(utilisation, within(0.005));
        assertThat(deviation.fillDeviation()).isCloseTo(fill, within(1e-12));
        assertThat(deviation.index()).isCloseTo(index, within(0.005));
    }

    @Test
    void latencyThatVariesLessThanLengthsIsNoDeviation() {
        Spread even = Spread.of(sketch(i -> 1_000_000)).orElseThrow();
        Spread lengths = Spread.of(sketch(LENGTHS::length)).orElseThrow();
        SchedulerDeviation deviation = SchedulerDeviation.of(even, lengths, even, BatchFill.of(64, 0, 64));
        assertThat(deviation.latencyDeviation()).isZero();
        assertThat(deviation.index()).isCloseTo(0, within(1e-9));
    }

    @Test
    void anIdleEngineHasNoDeviation() {
        Spread even = Spread.of(sketch(i -> 1_000)).orElseThrow();
        BatchFill idle = BatchFill.of(0, 0, 64);
        assertThatThrownBy(() -> SchedulerDeviation.of(even, even, even, idle))
                .hasMessage("fill: must have samples with requests, found none");
    }

    private static SchedulerDeviation deviation(double c, double u, int filled) {
        return SchedulerDeviation.of(
                Spread.of(sketch(i -> Math.round(LENGTHS.length(i) * 20_000 * (1 + c * turn(i)))))
                        .orElseThrow(),
                Spread.of(sketch(LENGTHS::length)).orElseThrow(),
                Spread.of(sketch(i -> Math.round(350_000 * (1 + u * turn(i))))).orElseThrow(),
                BatchFill.of(filled, 100, 64));
    }

    /** 1 and -1, each half of the time, by a period that is none of the sine's. */
    private static int turn(long i) {
        return i / 7 % 2 == 0 ? 1 : -1;
    }

    private static QuantileSketch sketch(LongUnaryOperator values) {
        QuantileSketch sketch = new QuantileSketch();
        for (long i = 0; i < N; i++) {
            sketch.add(values.applyAsLong(i));
        }
        return sketch;
    }
}
