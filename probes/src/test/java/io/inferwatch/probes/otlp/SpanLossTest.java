package io.inferwatch.probes.otlp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class SpanLossTest {
    private static final long SECOND = 1_000_000;
    private static final long MINUTE = 60 * SECOND;
    /** A full minute: 2023-11-14T22:14:00Z. */
    private static final long T0 = 1_700_000_040L * SECOND;

    private final SpanLoss loss = new SpanLoss();

    @Test
    void comparesAMinutesSpansWithTheCounter() {
        // 100 requests in the minute by the counter, read off its edges: 600 a minute before, 600 after it.
        loss.finished("a", 1_000, T0 - 15 * SECOND);
        loss.finished("a", 1_150, T0);
        loss.finished("a", 1_250, T0 + MINUTE);
        loss.finished("a", 1_400, T0 + MINUTE + 15 * SECOND);
        spans("a", 94, T0);
        loss.judge(T0 + MINUTE + 29 * SECOND);
        assertThat(loss.estimates()).isEmpty();
        loss.judge(T0 + MINUTE + 30 * SECOND);

        SpanLoss.Estimate estimate = loss.estimates().get(0);
        assertThat(estimate.minute()).isEqualTo(Instant.parse("2023-11-14T22:14:00Z"));
        assertThat(estimate.finished()).isEqualTo(100);
        assertThat(estimate.spans()).isEqualTo(94);
        assertThat(estimate.lostRatio()).isCloseTo(0.06, within(1e-9));
        assertThat(estimate.flagged()).isTrue();
        assertThat(estimate.flaggedMinutes()).isEqualTo(1);
    }

    @Test
    void fivePercentIsNotAboveFivePercent() {
        loss.finished("a", 0, T0);
        loss.finished("a", 100, T0 + MINUTE);
        spans("a", 95, T0);
        loss.judge(T0 + 2 * MINUTE);
        assertThat(loss.estimates().get(0).lostRatio()).isCloseTo(0.05, within(1e-9));
        assertThat(loss.estimates().get(0).flagged()).isFalse();
        assertThat(loss.estimates().get(0).flaggedMinutes()).isZero();
    }

    @Test
    void edgesBetweenReadingsAreInterpolated() {
        loss.finished("a", 0, T0 - 10 * SECOND);
        loss.finished("a", 40, T0 + 10 * SECOND);
        loss.finished("a", 240, T0 + 50 * SECOND);
        loss.finished("a", 280, T0 + 70 * SECOND);
        spans("a", 240, T0);
        loss.judge(T0 + 2 * MINUTE);
        assertThat(loss.estimates().get(0).finished()).isCloseTo(20 + 200 + 20, within(1e-9));
        assertThat(loss.estimates().get(0).lostRatio()).isZero();
    }

    @Test
    void aCounterThatStartsAnewIsNoLoss() {
        loss.finished("a", 10_000, T0);
        loss.finished("a", 10_060, T0 + 30 * SECOND);
        loss.finished("a", 40, T0 + MINUTE);
        spans("a", 100, T0);
        loss.judge(T0 + 2 * MINUTE);
        assertThat(loss.estimates().get(0).finished()).isEqualTo(100);
        assertThat(loss.estimates().get(0).lostRatio()).isZero();
    }

    @Test
    void replicasAndMinutesAreJudgedApart() {
        for (String replica : new String[] {"a", "b"}) {
            loss.finished(replica, 0, T0);
            loss.finished(replica, 100, T0 + MINUTE);
            loss.finished(replica, 200, T0 + 2 * MINUTE);
        }
        spans("a", 50, T0);
        spans("a", 100, T0 + MINUTE);
        spans("b", 100, T0);
        spans("b", 100, T0 + MINUTE);
        loss.judge(T0 + 3 * MINUTE);
        loss.judge(T0 + 3 * MINUTE + SECOND);
        assertThat(loss.estimates())
                .extracting(SpanLoss.Estimate::replica, SpanLoss.Estimate::lostRatio, SpanLoss.Estimate::flaggedMinutes)
                .containsExactlyInAnyOrder(tuple("a", 0.0, 1L), tuple("b", 0.0, 0L));
    }

    @Test
    void tooFewRequestsAndMissingReadingsAreNotJudged() {
        loss.finished("few", 0, T0);
        loss.finished("few", 19, T0 + MINUTE);
        loss.finished("once", 100, T0);
        spans("uncounted", 100, T0);
        loss.judge(T0 + 2 * MINUTE);
        assertThat(loss.estimates()).isEmpty();
        loss.finished("once", 200, T0 + 3 * MINUTE);
        loss.judge(T0 + 4 * MINUTE);
        assertThat(loss.estimates()).extracting(SpanLoss.Estimate::replica).containsExactly("once");
        assertThat(loss.estimates().get(0).lostRatio()).isEqualTo(1);
    }

    @Test
    void aSilentReplicaIsForgotten() {
        loss.finished("a", 0, T0);
        loss.finished("a", 100, T0 + MINUTE);
        loss.judge(T0 + 2 * MINUTE);
        assertThat(loss.estimates()).hasSize(1);
        loss.judge(T0 + 12 * MINUTE + SECOND);
        assertThat(loss.estimates()).isEmpty();
    }

    private void spans(String replica, int n, long minuteStart) {
        for (int i = 0; i < n; i++) {
            loss.span(replica, minuteStart + i * MINUTE / n);
        }
    }
}
