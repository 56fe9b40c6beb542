package io.inferwatch.analytics.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.analytics.RecordedData;
import io.inferwatch.analytics.change.Incident.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Series whose runs take one of two modes, 76 and 103, by luck. */
class ModesTest {
    private static List<Run> runs(
            int n, int seed, int repeats, IntToDoubleFunction highShare, IntToDoubleFunction factor) {
        SplittableRandom random = new SplittableRandom(seed);
        return IntStream.range(0, n)
                .mapToObj(i -> {
                    double mode = random.nextDouble() < highShare.applyAsDouble(i) ? 103 : 76;
                    double value = (mode + random.nextGaussian()) * factor.applyAsDouble(i);
                    return new Run(i * 3_600_000_000L, "c" + i / repeats, value);
                })
                .toList();
    }

    private static List<Incident> opened(List<Run> runs) {
        RunHistory history = new RunHistory(ChangeRule.STANDARD);
        List<Incident> opened = new ArrayList<>();
        runs.forEach(run -> opened.addAll(history.observe(run).opened()));
        return opened;
    }

    private static Look look(List<Run> runs) {
        return Look.of(runs, ChangeRule.STANDARD);
    }

    @Test
    void luckIsNoChangeSeeds1To10() {
        for (int seed = 1; seed <= 10; seed++) {
            Look look = look(runs(120, seed, 10, i -> 0.4, i -> 1));
            assertThat(look.isBimodal()).isTrue();
            assertThat(look.levels().confirmed()).isEmpty();
            assertThat(look.shares().confirmed()).isEmpty();
        }
    }

    @Test
    void aChangeWithinTheModesIsNotHiddenByThemSeeds1To10() {
        for (int seed = 1; seed <= 10; seed++) {
            assertThat(look(runs(120, seed, 10, i -> 0.4, i -> i < 70 ? 1 : 1.06))
                            .levels()
                            .confirmed())
                    .as("seed %d", seed)
                    .singleElement()
                    .satisfies(change -> assertThat(change.at()).isBetween(68, 72));
        }
    }

    @Test
    void runsThatTakeTheOtherModeMoreOftenAreAChangeOfShareSeed1() {
        List<Incident> opened = opened(runs(160, 1, 10, i -> i < 80 ? 0.2 : 0.9, i -> 1));
        assertThat(opened)
                .filteredOn(each -> each.kind() == Kind.MODE_SHARE)
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.isBimodal()).isTrue();
                    assertThat(each.at()).isBetween(70L, 90L);
                    assertThat(each.before()).isLessThan(0.4);
                    assertThat(each.after()).isGreaterThan(0.7);
                });
    }

    /** The same values, each commit always in one mode: that is a change of level. */
    @Test
    void twoLevelsOfDifferentCommitsAreNoModesSeed2() {
        Look look = look(runs(120, 2, 10, i -> i < 60 ? 0 : 1, i -> 1));
        assertThat(look.isBimodal()).isFalse();
        assertThat(look.levels().confirmed()).extracting(Change::at).containsExactly(60);
    }

    /** Reverse range scans of RocksDB 8.7.0, runs of a few commits in two modes: nothing changed. */
    @Test
    void recordedRunsInTwoModesAreNotAChange() {
        List<String> lines = RecordedData.lines("perf_series/rocksdb_ci/revrange.t1.csv");
        List<String> names = List.of(lines.get(0).split(",", -1));
        List<Run> runs = lines.stream()
                .skip(1)
                .map(line -> line.split(",", -1))
                .map(cells -> new Run(
                        Long.parseLong(cells[0]) * 1_000_000,
                        cells[names.indexOf("git_commit")],
                        Double.parseDouble(cells[names.indexOf("ops_sec")])))
                .toList();
        assertThat(runs).hasSize(99);
        assertThat(look(runs).isBimodal()).isTrue();
        assertThat(opened(runs)).isEmpty();
    }
}
