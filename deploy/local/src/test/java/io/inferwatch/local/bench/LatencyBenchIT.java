package io.inferwatch.local.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

@Tag("slow")
class LatencyBenchIT {
    @Test
    void everyPointIsSeenAndCounted() {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = new CommandLine(new BenchCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute("latency", "--rate", "400", "--series", "40", "--warm-up", "2", "--windows", "2");
        assertThat(status).as(out + "\n" + err).isZero();
        assertThat(out.toString())
                .contains("series of ten-second windows, 2 windows")
                .contains("Every point was there, and the fleet's windows hold every request once.");
    }

    @Test
    void refusesWhatCannotBeDivided() {
        StringWriter err = new StringWriter();
        int status =
                new CommandLine(new BenchCommand()).setErr(new PrintWriter(err)).execute("latency", "--series", "41");
        assertThat(status).isEqualTo(2);
        assertThat(err.toString()).contains("--series: must be a multiple of 4");
    }
}
