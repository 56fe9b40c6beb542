package io.inferwatch.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.schemas.catalogue.ConfigFile;
import io.inferwatch.schemas.catalogue.ExperimentRule;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ConfigDealCommandTest {
    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");
    private static final List<String> REPLICAS =
            IntStream.range(0, 11).mapToObj(i -> "r-" + i).toList();

    @TempDir
    private Path directory = Path.of("");

    /** The file is one that may be set; all replicas are in it once, and each is changed in about 5 of 11 deals: seeds 1 to 400. */
    @Test
    void everyReplicaIsDealtByChance() throws IOException {
        int[] changed = new int[REPLICAS.size()];
        for (int seed = 1; seed <= 400; seed++) {
            ExperimentRule rule = deal(seed, String.join(",", REPLICAS));
            assertThat(rule.since()).isEqualTo(NOW);
            assertThat(rule.changed()).hasSize(5);
            List<String> all = new ArrayList<>(rule.baseline());
            all.addAll(rule.changed());
            assertThat(all).containsExactlyInAnyOrderElementsOf(REPLICAS);
            rule.changed().forEach(replica -> changed[REPLICAS.indexOf(replica)]++);
        }
        // Of 400 draws at 5/11: 181.8, standard deviation 9.96; five of them.
        assertThat(Arrays.stream(changed)).allSatisfy(n -> assertThat(n).isBetween(132, 232));
    }

    @Test
    void namesOfDigitsStayNames() throws IOException {
        assertThat(deal(1, "0,1,2,3,4,5,6,7,8,9").baseline()).hasSize(5);
    }

    @Test
    void tooFewOrRepeatedReplicasAreRefused() {
        assertThat(run(1, "a,b,c", new StringWriter()))
                .isEqualTo("2 --replicas: must be at least 10 different names, found 3 in 3");
        assertThat(run(1, "a,b,c,d,e,f,g,h,i,a,j", new StringWriter()))
                .isEqualTo("2 --replicas: must be at least 10 different names, found 10 in 11");
    }

    private ExperimentRule deal(long seed, String replicas) throws IOException {
        StringWriter out = new StringWriter();
        assertThat(run(seed, replicas, out)).isEqualTo("0");
        List<ConfigFile.Entry> entries = ConfigFile.read(
                Files.writeString(directory.resolve("config.yaml"), out.toString()), MetricCatalogue.shipped());
        assertThat(entries).singleElement().satisfies(entry -> assertThat(entry.key())
                .isEqualTo("experiment/org/m"));
        return ExperimentRule.parse("org/m", entries.get(0).body());
    }

    /** Status and first line of the errors. */
    private static String run(long seed, String replicas, StringWriter out) {
        StringWriter err = new StringWriter();
        int status = new CommandLine(new ConfigDealCommand(InstantSource.fixed(NOW), new SplittableRandom(seed)))
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute("--model", "org/m", "--replicas", replicas);
        return (status + " " + err.toString().lines().findFirst().orElse("")).strip();
    }
}
