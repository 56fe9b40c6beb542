package io.inferwatch.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.analytics.drift.Comparison.NotEstimable;
import io.inferwatch.analytics.drift.Comparison.Scale;
import io.inferwatch.analytics.drift.DriftRule;
import io.inferwatch.analytics.drift.Finding;
import io.inferwatch.report.ComparisonReport.Judged;
import io.inferwatch.report.ComparisonReport.Side;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

/** How verdicts look. */
class VerdictTextTest {
    private static final Instant FROM = Instant.parse("2026-11-30T11:00:00Z");
    private static final Instant TO = Instant.parse("2026-11-30T12:30:00Z");

    @Test
    void aComparisonIsAlignedAndTellsWhatItCouldHaveSeen() {
        ComparisonRequest request = ComparisonRequest.of(
                MetricCatalogue.shipped(),
                "ttft",
                Optional.empty(),
                List.of("version"),
                "v1",
                Optional.empty(),
                Optional.empty(),
                FROM,
                TO);
        // exp(2.486 * 0.02) - 1 and 1.03 exp(3.168 * 0.02) - 1.
        Finding drift = Finding.of(
                new Measured(Scale.RELATIVE, 0.5, 0.4, 0.6, 1e-5, 0.02, 6_000, 3_600),
                null,
                DriftRule.SLOWER.withMinWindows(0));
        Finding nothing = Finding.of(new NotEstimable(6_000, 20), null, DriftRule.SLOWER);
        ComparisonReport report = new ComparisonReport(
                request,
                new Side("v1", 6_000, 0.6, 60),
                List.of(
                        new Judged(new Side("v2", 3_600, 0.9, 60), true, drift, OptionalDouble.of(0.0123)),
                        new Judged(new Side("v5", 20, 0.6, 1), false, nothing, OptionalDouble.empty())));

        assertThat(ComparisonText.table(report))
                .containsExactly(
                        "ttft p99: Time to first token. Every request that got one",
                        "2026-11-30T11:00:00Z to 2026-11-30T12:30:00Z, 90 minutes; drift is worse by 3.0 %",
                        "baseline: version v1, 600.0 ms, n 6000, 60 minutes with data",
                        "version  verdict        against             p99     n   change         95 % limits        p       q  detectable  provable",
                        "v2       DRIFT          same minutes   900.0 ms  3600  +50.0 %  +40.0 % to +60.0 %  <0.0001  0.0123       5.1 %     9.7 %",
                        "v5       NOT_ESTIMABLE  other minutes  600.0 ms    20        -                   -        -       -           -         -");
    }

    @Test
    void tooManyFalseAlarmsAreNoDrift() {
        Finding drift = Finding.of(
                new Measured(Scale.RELATIVE, 0.5, 0.4, 0.6, 0.009, 0.02, 6_000, 3_600),
                null,
                DriftRule.SLOWER.withMinWindows(0));

        assertThat(new Judged(new Side("v2", 3_600, 0.9, 60), true, drift, OptionalDouble.of(0.05)).verdict())
                .hasToString("DRIFT");
        assertThat(new Judged(new Side("v2", 3_600, 0.9, 60), true, drift, OptionalDouble.of(0.0501)).verdict())
                .hasToString("INCONCLUSIVE");
    }

    @Test
    void theLatestVerdictsAreAligned() {
        StandingRequest request =
                StandingRequest.of(MetricCatalogue.shipped(), "ttft", Optional.empty(), List.of("node"), FROM, TO);
        StandingReport report = new StandingReport(
                request,
                List.of(
                        new StandingReport.Key(
                                List.of("n1"),
                                "p99",
                                Instant.parse("2026-11-30T12:00:00Z"),
                                "DRIFT",
                                "seconds",
                                OptionalDouble.of(0.6),
                                OptionalDouble.of(0.4),
                                OptionalDouble.of(0.5),
                                OptionalDouble.of(0.4),
                                OptionalDouble.of(0.6),
                                1_000,
                                Optional.of("DRIFT"),
                                OptionalDouble.of(0.375),
                                OptionalDouble.of(0.25),
                                Optional.of(Instant.parse("2026-11-30T11:50:00Z")),
                                true),
                        new StandingReport.Key(
                                List.of("n2"),
                                "p99",
                                Instant.parse("2026-11-30T12:01:00Z"),
                                "NOT_ESTIMABLE",
                                "seconds",
                                OptionalDouble.empty(),
                                OptionalDouble.empty(),
                                OptionalDouble.empty(),
                                OptionalDouble.empty(),
                                OptionalDouble.empty(),
                                0,
                                Optional.empty(),
                                OptionalDouble.empty(),
                                OptionalDouble.empty(),
                                Optional.empty(),
                                false)));

        assertThat(StandingText.table(report))
                .containsExactly(
                        "ttft: latest verdicts of view node-prompt from 2026-11-30T11:00:00Z to 2026-11-30T12:30:00Z",
                        "node  statistic  verdict        like for like  drifting since        at                         now    before     n   change         95 % limits  like for like  by the mix",
                        "n1    p99        DRIFT          DRIFT          2026-11-30T11:50:00Z  2026-11-30T12:00:00Z  600.0 ms  400.0 ms  1000  +50.0 %  +40.0 % to +60.0 %        +37.5 %      25.0 %",
                        "n2    p99        NOT_ESTIMABLE  -              -                     2026-11-30T12:01:00Z         -         -     0        -                   -              -           -");
    }
}
