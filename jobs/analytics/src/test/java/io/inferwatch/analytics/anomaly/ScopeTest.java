package io.inferwatch.analytics.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.analytics.anomaly.Scope.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Sixteen replicas: two models on four nodes, so that each node has two of each; every fourth one is new. */
class ScopeTest {
    private static List<Subject> fleet(Predicate<Map<String, String>> isAnomalous) {
        List<Subject> fleet = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            Map<String, String> labels = Map.of(
                    "model",
                    i % 2 == 0 ? "large" : "small",
                    "node",
                    "n" + i / 4,
                    "version",
                    i % 4 == 0 ? "2" : "1",
                    "replica",
                    "r" + i);
            fleet.add(new Subject(labels, isAnomalous.test(labels)));
        }
        return fleet;
    }

    @Test
    void nothingHasNoScope() {
        assertThat(Scope.of(fleet(labels -> false))).isEmpty();
        assertThat(Scope.of(List.of())).isEmpty();
    }

    @Test
    void aShiftOfAllIsOneFinding() {
        assertThat(Scope.of(fleet(labels -> true))).containsExactly(new Scope(Map.of(), 16, 16));
    }

    /** One of sixteen is in order: still the fleet. */
    @Test
    void nearlyAllAreAll() {
        assertThat(Scope.of(fleet(labels -> !labels.get("replica").equals("r3"))))
                .containsExactly(new Scope(Map.of(), 15, 16));
    }

    @Test
    void aNodeIsTheSmallestThatExplainsItsReplicas() {
        assertThat(Scope.of(fleet(labels -> labels.get("node").equals("n2"))))
                .containsExactly(new Scope(Map.of("node", "n2"), 4, 4));
    }

    /** Every replica of version 2 is of the large model: the version says it all. */
    @Test
    void fewerLabelsArePreferred() {
        assertThat(Scope.of(fleet(labels -> labels.get("version").equals("2"))))
                .containsExactly(new Scope(Map.of("version", "2"), 4, 4));
    }

    @Test
    void twoLabelsWhereOneIsNotEnough() {
        assertThat(Scope.of(fleet(labels ->
                        labels.get("node").equals("n1") && labels.get("model").equals("small"))))
                .containsExactly(new Scope(Map.of("model", "small", "node", "n1"), 2, 2));
    }

    @Test
    void twoCausesAreTwoFindings() {
        assertThat(Scope.of(fleet(labels ->
                        labels.get("node").equals("n0") || labels.get("replica").equals("r9"))))
                .containsExactly(
                        new Scope(Map.of("node", "n0"), 4, 4),
                        new Scope(Map.of("model", "small", "node", "n2", "replica", "r9", "version", "1"), 1, 1));
    }

    /** Half of a node is not the node: there is nothing in common but what the two have alone. */
    @Test
    void whatIsNotPureIsNoScope() {
        List<Scope> scopes = Scope.of(fleet(labels ->
                labels.get("replica").equals("r4") || labels.get("replica").equals("r7")));
        assertThat(scopes)
                .hasSize(2)
                .allMatch(scope -> scope.anomalous() == 1 && scope.labels().containsKey("replica"));
    }
}
