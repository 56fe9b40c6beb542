package io.inferwatch.local.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

@Tag("slow")
class PipelineBenchIT {
    @Test
    void measuresOnlyWhatHoldsEveryRequest() {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = new CommandLine(new BenchCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute("pipeline", "--events", "200000", "--cells", "400", "--event-rate", "10000");
        assertThat(status).as(err.toString()).isZero();
        assertThat(out.toString())
                .contains("400 cells, 100 replicas", "| poll only |", "| poll + decode |")
                .containsPattern("MeasureJob, hashmap \\| [0-9,]+ \\|.*every request once")
                .containsPattern("MeasureJob, RocksDB \\| [0-9,]+ \\|.*every request once");
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        StringWriter err = new StringWriter();
        int status =
                new CommandLine(new BenchCommand()).setErr(new PrintWriter(err)).execute("pipeline", "--only", "hash");
        assertThat(status).isEqualTo(2);
        assertThat(err.toString()).contains("must be one of poll, decode, measure-hashmap", "found 'hash'");
    }
}
