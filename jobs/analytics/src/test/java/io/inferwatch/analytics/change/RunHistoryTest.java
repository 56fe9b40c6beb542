package io.inferwatch.analytics.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.change.Incident.State;
import io.inferwatch.analytics.change.RunHistory.News;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

/** Nights of runs with noise of 1 %, one commit each, through bytes after every night. */
class RunHistoryTest {
    private static final long DAY_MICROS = 86_400_000_000L;

    private RunHistory history = new RunHistory(ChangeRule.STANDARD);
    private SplittableRandom random = new SplittableRandom(1);
    private int night;

    private List<News> nights(int n, IntToDoubleFunction level) {
        List<News> all = new ArrayList<>();
        for (int i = 0; i < n; i++, night++) {
            double value = level.applyAsDouble(night) * (1 + 0.01 * random.nextGaussian());
            all.add(history.observe(new Run(night * DAY_MICROS, "c" + night, value)));
            history = RunHistory.ofBytes(history.toBytes(), ChangeRule.STANDARD);
        }
        return all;
    }

    private static List<Incident> opened(List<News> news) {
        return news.stream().flatMap(each -> each.opened().stream()).toList();
    }

    private static List<Incident> closed(List<News> news) {
        return news.stream().flatMap(each -> each.closed().stream()).toList();
    }

    @Test
    void aChangeIsToldOnceWithItsCommitsSeed1() {
        assertThat(opened(nights(60, i -> 100))).isEmpty();
        List<News> after = nights(60, i -> 106);
        assertThat(opened(after)).singleElement().satisfies(incident -> {
            assertThat(incident.id()).isZero();
            assertThat(incident.state()).isEqualTo(State.OPEN);
            assertThat(incident.suspects()).contains("c60").hasSizeLessThanOrEqualTo(3);
            assertThat(incident.lastGood()).isEqualTo("c" + (incident.earliest() - 1));
            assertThat(incident.change()).isCloseTo(0.06, within(0.01));
        });
        // Told with the sixth run, suspected from the third on.
        assertThat(after.get(5).opened()).hasSize(1);
        assertThat(after.subList(2, 5)).allSatisfy(news -> assertThat(news.suspect())
                .hasValueSatisfying(suspect -> assertThat(suspect.suspects()).contains("c60")));
        assertThat(after.subList(6, 60))
                .allSatisfy(news -> assertThat(news.suspect()).isEmpty());
        assertThat(closed(after)).isEmpty();
        assertThat(history.incidents()).singleElement().satisfies(incident -> assertThat(incident.state())
                .isEqualTo(State.OPEN));
    }

    @Test
    void anAcknowledgedLevelIsTheOneToHoldSeed1() {
        nights(60, i -> 100);
        long id = opened(nights(20, i -> 106)).get(0).id();
        assertThat(history.acknowledge(id)).isTrue();
        history = RunHistory.ofBytes(history.toBytes(), ChangeRule.STANDARD);
        assertThat(history.acknowledge(id)).isFalse();
        assertThat(history.acknowledge(99)).isFalse();
        assertThat(opened(nights(30, i -> 106))).isEmpty();
        assertThat(history.incidents()).singleElement().satisfies(incident -> assertThat(incident.state())
                .isEqualTo(State.ACKNOWLEDGED));

        assertThat(opened(nights(10, i -> 115))).singleElement().satisfies(incident -> {
            assertThat(incident.id()).isEqualTo(1);
            assertThat(incident.before()).isCloseTo(106, within(1.0));
            assertThat(incident.suspects()).contains("c110");
        });
    }

    @Test
    void aRegressionThatWasTakenBackIsOverSeed1() {
        nights(60, i -> 100);
        nights(30, i -> 106);
        List<News> after = nights(20, i -> 100);
        assertThat(closed(after)).singleElement().satisfies(incident -> {
            assertThat(incident.id()).isZero();
            assertThat(incident.state()).isEqualTo(State.RECOVERED);
        });
        assertThat(opened(after)).singleElement().satisfies(incident -> assertThat(incident.suspects())
                .contains("c90"));
    }

    /** Ten nights on a bad machine amid hundreds: found, and then, as more of them come, still there until they are forgotten. */
    @Test
    void whatIsOlderThanTheMemoryIsForgottenSeed1() {
        nights(60, i -> 100);
        assertThat(opened(nights(10, i -> 110))).hasSize(1);
        nights(RunHistory.MOST_RUNS, i -> 110);
        assertThat(history.incidents()).isEmpty();
        assertThat(history.toBytes().length).isLessThan(RunHistory.MOST_RUNS * 24);
        assertThat(opened(nights(10, i -> 121))).singleElement().satisfies(incident -> assertThat(incident.id())
                .isEqualTo(1));
    }

    @Test
    void otherBytesAreRefused() {
        byte[] bytes = history.toBytes();
        bytes[0] = 9;
        assertThatThrownBy(() -> RunHistory.ofBytes(bytes, ChangeRule.STANDARD))
                .hasMessage("state: must be of version 1, found 9");
        assertThatThrownBy(() -> new Run(0, "c", Double.POSITIVE_INFINITY))
                .hasMessage("value: must be finite, found Infinity");
    }
}
