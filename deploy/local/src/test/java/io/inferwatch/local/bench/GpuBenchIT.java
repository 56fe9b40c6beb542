package io.inferwatch.local.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferwatch.servers.TestServers;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The bench runs, and the probe in it samples every device; what it costs in a few seconds of a busy machine is no figure. */
class GpuBenchIT {
    private static final Pattern FIGURES = Pattern.compile(
            "\\d{4}-\\d\\d-\\d\\d: 3 GPUs, (\\S+) samples/s, \\S+ % of a core, (\\d+) MiB resident, over 4 s\\R");

    @Test
    void samplesEveryDeviceEverySecond() {
        assumeTrue(TestServers.compiler().isFound(), TestServers.compiler().reason());
        StringWriter out = new StringWriter();
        int status = new CommandLine(new BenchCommand())
                .setOut(new PrintWriter(out))
                .execute("gpu", "--gpus", "3", "--warm-up", "0", "--seconds", "4");
        Matcher figures = FIGURES.matcher(out.toString());
        assertThat(figures.matches()).as(out.toString()).isTrue();
        assertThat(Double.parseDouble(figures.group(1))).isBetween(1.5, 4.5);
        assertThat(Integer.parseInt(figures.group(2))).isPositive();
        assertThat(status).isBetween(0, 1);
    }
}
