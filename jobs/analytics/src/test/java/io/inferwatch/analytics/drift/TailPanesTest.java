package io.inferwatch.analytics.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.Latencies;
import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.analytics.drift.Sample.Values;
import io.inferwatch.analytics.quantile.DesignEffect;
import io.inferwatch.analytics.quantile.EffectiveSample;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TailPanesTest {
    private static final int BUCKET = 1_500;
    private static final long SECOND = 1_000_000;

    private final SplittableRandom random = new SplittableRandom(5);
    private final TailPanes tail = new TailPanes();

    @Test
    void ofOneWindowItIsTheDesignEffectSeed5() {
        List<QuantileSketch> panes = window(0, 15);
        assertThat(tail.designEffect())
                .isCloseTo(DesignEffect.of(panes, BUCKET).orElseThrow(), within(1e-12))
                .isGreaterThan(2);
    }

    /** Pearson's statistics and their degrees of freedom add up, each with its own window's share. */
    @Test
    void windowsAddUpSeed5() {
        double statistic = 0;
        for (int i = 0; i < 20; i++) {
            List<QuantileSketch> panes = window(60 * i, 12);
            statistic += 11 * DesignEffect.of(panes, BUCKET).orElseThrow();
        }
        assertThat(tail.designEffect()).isCloseTo(statistic / 220, within(1e-9));
    }

    @Test
    void elevenDegreesOfFreedomAreNeededSeed5() {
        window(0, 6);
        window(60, 6);
        assertThat(tail.designEffect()).isEqualTo(1);
        window(120, 2);
        assertThat(tail.designEffect()).isGreaterThan(1);
    }

    /** After an hour of independent requests the sixfold ones before are forgotten: the effect would be 2.7 if they counted alike. */
    @Test
    void whatIsLongAgoIsForgottenSeed5() {
        for (int i = 0; i < 30; i++) {
            window(60 * i, 12);
        }
        double before = tail.designEffect();
        for (int i = 30; i < 120; i++) {
            for (int pane = 1; pane <= 12; pane++) {
                tail.add((60L * i + 5L * pane) * SECOND, 2_000, independent(2_000));
            }
            tail.endWindow(60L * i * SECOND, (60L * i + 60) * SECOND);
            tail.learn(true);
        }
        assertThat(before).isGreaterThan(5);
        assertThat(tail.designEffect()).isBetween(1.0, 1.5);
    }

    @Test
    void partsOfAPaneAddUpAndLaterPanesWaitSeed5() {
        TailPanes apart = new TailPanes();
        for (int pane = 1; pane <= 24; pane++) {
            long end = pane * 5L * SECOND;
            long above = 5 + 20L * (pane % 2);
            tail.add(end, 1_000, above);
            apart.add(end, 400, above - 3);
            apart.add(end, 600, 3);
        }
        for (TailPanes panes : List.of(tail, apart)) {
            panes.endWindow(0, 60 * SECOND);
            panes.learn(true);
            // 5 and 25 of 1,000: share 0.015, each 10 from 15, so 12 * 100 / (15 * 0.985) over 11.
            assertThat(panes.designEffect()).isCloseTo(12 * 100 / (15 * 0.985) / 11, within(1e-12));
            panes.endWindow(60 * SECOND, 120 * SECOND);
            panes.learn(true);
            assertThat(panes.designEffect()).isCloseTo(24 * 100 / (15 * 0.985) / 22, within(1e-12));
        }
    }

    /** Correlated requests count for less: the verdict is that of both samples divided by the design effect. */
    @Test
    void aHistoryDividesByItSeed5() {
        DriftHistory history = new DriftHistory(Duration.ofMinutes(1));
        QuantileSketch pool = new QuantileSketch();
        Measured found = null;
        QuantileSketch last = new QuantileSketch();
        double effect = 1;
        for (int i = 0; i < 12; i++) {
            long start = 60L * i * SECOND;
            if (i == 10) {
                List<QuantileSketch> panes = new ArrayList<>();
                last = draw(history, start, panes);
                effect = DesignEffect.of(panes, history.tailBucket().orElseThrow())
                        .orElseThrow();
            } else {
                last = Latencies.LOGNORMAL.sample(6_000, 1, random);
            }
            if (i < 11) {
                pool.merge(last);
            }
            if (i == 11) {
                found = (Measured)
                        observe(history, last, start).orElseThrow().raw().comparison();
            } else {
                observe(history, last, start);
            }
        }
        assertThat(history.designEffect()).isCloseTo(effect, within(1e-12)).isGreaterThan(2);
        Measured expected = (Measured) QuantileComparison.of(
                EffectiveSample.of(pool).correlated(effect),
                EffectiveSample.of(last).correlated(effect),
                0.99,
                DriftRule.SLOWER);
        assertThat(found).isEqualTo(expected.looked(2));
        assertThat(history.tailBucket().orElseThrow()).isEqualTo(pool.bucketOfRank(pool.rankOf(0.99)));
    }

    /** Its requests come in waves, since it is overloaded: sixty times what chance allows, of which nothing is learned. */
    @Test
    void aSlowServersOwnWavesDoNotHideItSeed5() {
        DriftHistory history = new DriftHistory(Duration.ofMinutes(1));
        for (int i = 0; i < 20; i++) {
            observe(history, panes(history, i, 500, pane -> 1), 60L * i * SECOND);
        }
        double before = history.designEffect();
        for (int i = 20; i < 24; i++) {
            QuantileSketch window = panes(history, i, 500, pane -> pane % 2 == 0 ? 9 : 1);
            assertThat(observe(history, window, 60L * i * SECOND)
                            .orElseThrow()
                            .raw()
                            .verdict())
                    .isEqualTo(Verdict.DRIFT);
        }
        assertThat(before).isLessThan(1.5);
        assertThat(history.designEffect()).isEqualTo(before);
    }

    /** Of 600 requests that tell as much as 300, two windows are a unit. */
    @Test
    void windowsAreUnitedUntilTheyTellEnoughSeed5() {
        DriftHistory history = new DriftHistory(Duration.ofMinutes(1));
        int verdicts = 0;
        for (int i = 0; i < 40; i++) {
            QuantileSketch window = panes(history, i, 600, pane -> pane % 3 == 0 ? 1.5 : 0.85);
            verdicts += observe(history, window, 60L * i * SECOND).isPresent() ? 1 : 0;
        }
        assertThat(history.designEffect()).isBetween(600.0 / 368, 2 * 600.0 / 368);
        assertThat(verdicts).isBetween(20, 30);
        Judged last = Stream.iterate(40, i -> i + 1)
                .map(i ->
                        observe(history, panes(history, i, 600, pane -> pane % 3 == 0 ? 1.5 : 0.85), 60L * i * SECOND))
                .flatMap(Optional::stream)
                .findFirst()
                .orElseThrow();
        assertThat(last.windows() % 2).isZero();
        assertThat(last.raw().verdict()).isNotEqualTo(Verdict.NOT_ESTIMABLE);
    }

    /** A window of six panes, told to the history, each so many times as slow. */
    private QuantileSketch panes(DriftHistory history, int minute, int n, IntToDoubleFunction slowness) {
        QuantileSketch window = new QuantileSketch();
        for (int pane = 1; pane <= 6; pane++) {
            QuantileSketch sketch = Latencies.LOGNORMAL.sample(n / 6, slowness.applyAsDouble(pane), random);
            window.merge(sketch);
            long end = (60L * minute + 10L * pane) * SECOND;
            history.tailBucket().ifPresent(bucket -> history.addPane(end, sketch.n(), sketch.countAbove(bucket)));
        }
        return window;
    }

    private static Optional<Judged> observe(DriftHistory history, QuantileSketch window, long start) {
        return history.observe(
                        Values.of(window),
                        start + 60 * SECOND,
                        Optional.empty(),
                        new Statistic.Quantile(0.99),
                        DriftRule.SLOWER)
                .judged();
    }

    private QuantileSketch draw(DriftHistory history, long start, List<QuantileSketch> panes) {
        QuantileSketch window = new QuantileSketch();
        int bucket = history.tailBucket().orElseThrow();
        for (int pane = 1; pane <= 12; pane++) {
            QuantileSketch sketch = Latencies.LOGNORMAL.sample(500, pane % 4 == 0 ? 1.5 : 1, random);
            panes.add(sketch);
            window.merge(sketch);
            history.addPane(start + pane * 5L * SECOND, sketch.n(), sketch.countAbove(bucket));
        }
        return window;
    }

    /** A window of panes of a hundred or more values, slow ones in sixes; as sketches, and given to the tail. */
    private List<QuantileSketch> window(int startSeconds, int count) {
        List<QuantileSketch> panes = new ArrayList<>();
        for (int pane = 1; pane <= count; pane++) {
            QuantileSketch sketch = new QuantileSketch();
            sketch.add(10, 600 + 6 * random.nextInt(50));
            long slow = 6 * independent(200);
            if (slow > 0) {
                sketch.add(1_000_000_000_000L, slow);
            }
            panes.add(sketch);
            tail.add((startSeconds + 60L * pane / count) * SECOND, sketch.n(), sketch.countAbove(BUCKET));
        }
        tail.endWindow(startSeconds * SECOND, (startSeconds + 60) * SECOND);
        tail.learn(true);
        return panes;
    }

    private long independent(int n) {
        return random.doubles(n).filter(u -> u < 0.02).count();
    }
}
