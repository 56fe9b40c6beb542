package io.inferwatch.analytics.anomaly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.drift.DriftRule.Direction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

/** Ten replicas of the same latency with noise of 3 %, of which r9 is always 20 % slower. */
class PeersTest {
    private static final PeerRule RULE = PeerRule.SLOWER;
    private static final int REPLICAS = 10;

    private final SplittableRandom random = new SplittableRandom(9);
    private final Map<String, PeerHistory> histories = new TreeMap<>();
    private final List<String> told = new ArrayList<>();
    private boolean isFleet;

    /** One window; percent is how much slower than usual each replica is. */
    private Map<String, PeerJudgement> window(int replicas, IntUnaryOperator percent) {
        Map<String, Double> values = new TreeMap<>();
        for (int i = 0; i < replicas; i++) {
            double own = i == 9 ? 1.2 : 1;
            values.put("r" + i, own * (1 + percent.applyAsInt(i) / 100.0) * Math.exp(0.03 * random.nextGaussian()));
        }
        Peers peers = Peers.judge(values, histories, Scale.LOG, RULE);
        isFleet = peers.isFleet();
        peers.replicas().forEach((replica, judgement) -> {
            histories.put(replica, judgement.history());
            if (judgement.began()) {
                told.add(replica);
            }
            if (judgement.ended()) {
                told.add("-" + replica);
            }
        });
        return peers.replicas();
    }

    private void windows(int count, IntUnaryOperator percent) {
        for (int i = 0; i < count; i++) {
            window(REPLICAS, percent);
        }
    }

    @Test
    void aReplicaThatIsAlwaysSlowerIsNoStragglerSeed9() {
        windows(5_000, i -> 0);
        assertThat(told).isEmpty();
        assertThat(histories.get("r9").usual()).isCloseTo(Math.log(1.2), within(0.02));
        assertThat(histories.get("r3").spread()).isBetween(0.02, 0.045);
    }

    @Test
    void aStragglerIsToldInItsThirdWindowAndOnceSeed9() {
        windows(100, i -> 0);
        windows(2, i -> i == 4 ? 50 : 0);
        assertThat(told).isEmpty();
        PeerJudgement judgement = window(REPLICAS, i -> i == 4 ? 50 : 0).get("r4");
        assertThat(judgement.began()).isTrue();
        assertThat(judgement.observed()).isBetween(1.35, 1.65);
        assertThat(judgement.peers()).isBetween(0.95, 1.05);
        assertThat(judgement.expected()).isBetween(0.9, 1.1);
        assertThat(judgement.score()).isGreaterThan(1);
        windows(50, i -> i == 4 ? 50 : 0);
        assertThat(told).containsExactly("r4");
        windows(5, i -> 0);
        assertThat(told).containsExactly("r4");
        windows(1, i -> 0);
        assertThat(told).containsExactly("r4", "-r4");
    }

    /** The slower device too, when it is slower than it used to be. */
    @Test
    void itsOwnHistoryCountsSeed9() {
        windows(100, i -> 0);
        windows(3, i -> i == 9 ? 50 : 0);
        assertThat(told).containsExactly("r9");
    }

    @Test
    void twoBadWindowsAreNothingSeed9() {
        windows(100, i -> 0);
        windows(2, i -> i == 4 ? 80 : 0);
        windows(10, i -> 0);
        assertThat(told).isEmpty();
    }

    /** Eight percent of calm peers is many spreads, and does not matter. */
    @Test
    void whatIsBelowTheFloorIsNothing() {
        Map<String, Double> values = new TreeMap<>();
        for (int round = 0; round < 100; round++) {
            for (int i = 0; i < REPLICAS; i++) {
                values.put("r" + i, i == 4 && round > 80 ? 1.08 : 1);
            }
            Peers.judge(values, histories, Scale.LOG, RULE).replicas().forEach((replica, judgement) -> {
                histories.put(replica, judgement.history());
                assertThat(judgement.began()).isFalse();
            });
        }
        values.put("r4", 1.2);
        assertThat(Peers.judge(values, histories, Scale.LOG, RULE)
                        .replicas()
                        .get("r4")
                        .score())
                .isGreaterThan(1);
    }

    /** Four of ten are more than a third: it is no straggler's fault. */
    @Test
    void tooManyAtOnceAreTheFleetSeed9() {
        windows(100, i -> 0);
        windows(10, i -> i < 4 ? 50 : 0);
        assertThat(told).isEmpty();
        assertThat(isFleet).isTrue();
        windows(3, i -> i < 3 ? 50 : 0);
        assertThat(told).containsExactly("r0", "r1", "r2");
        assertThat(isFleet).isFalse();
    }

    @Test
    void whatBefallsAllIsNoStragglerSeed9() {
        windows(100, i -> 0);
        windows(10, i -> 200);
        assertThat(told).isEmpty();
        assertThat(isFleet).isFalse();
    }

    @Test
    void fewReplicasAreNoPeersSeed9() {
        windows(100, i -> 0);
        assertThat(window(4, i -> 0)).isEmpty();
        assertThat(window(5, i -> 0)).hasSize(5);
    }

    @Test
    void aNewReplicaIsLearnedBeforeItIsJudgedSeed9() {
        for (int i = 0; i < 100; i++) {
            window(9, replica -> 0);
        }
        for (int i = 0; i < 59; i++) {
            assertThat(window(REPLICAS, replica -> 0).get("r9").score()).isZero();
        }
        assertThat(told).isEmpty();
    }

    @Test
    void fasterIsNotWorseUnlessItIsSeed9() {
        windows(100, i -> 0);
        windows(10, i -> i == 4 ? -50 : 0);
        assertThat(told).isEmpty();
        PeerRule throughput = new PeerRule(4, 4, 0.1, 1.0 / 3, 3, 6, 60, 0.02, Direction.DOWN);
        Map<String, Double> values = new TreeMap<>();
        for (int i = 0; i < REPLICAS; i++) {
            values.put("r" + i, i == 9 ? 1.2 : i == 5 ? 0.5 : 1);
        }
        Map<String, PeerJudgement> judged =
                Peers.judge(values, histories, Scale.LOG, throughput).replicas();
        assertThat(judged.get("r5").score()).isGreaterThan(1);
        assertThat(judged.get("r3").score()).isLessThan(1);
    }

    @Test
    void aHistoryOutlivesARestart() {
        PeerHistory history = new PeerHistory(60, 0.18, 0.024, 4, true);
        assertThat(PeerHistory.ofBytes(history.toBytes())).isEqualTo(history);
        byte[] bytes = history.toBytes();
        bytes[0] = 7;
        assertThatThrownBy(() -> PeerHistory.ofBytes(bytes))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("peer history: version must be 1, found 7");
    }
}
