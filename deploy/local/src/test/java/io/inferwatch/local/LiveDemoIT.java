package io.inferwatch.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferwatch.servers.Availability;
import io.inferwatch.servers.InfluxProgram;
import io.inferwatch.servers.TestServers;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Takes four minutes, and twenty for each fault that is judged, hence only where long tests are asked for. */
@Tag("slow")
class LiveDemoIT {
    private final Availability<InfluxProgram> influx = TestServers.influx();

    @Test
    void theFaultShowsInItsReplicaAndEveryRequestIsCounted(@TempDir Path directory) {
        assumeTrue(influx.isFound(), influx.reason());
        StringWriter out = new StringWriter();

        int status = InferwatchCommand.commandLine()
                .setOut(new PrintWriter(out))
                .execute("demo", "--live", "--minutes=3", "--data=" + directory.resolve("data"));

        assertThat(out.toString())
                .contains("0 failed")
                .contains("every one, once")
                .contains("the fault shows in the TTFT p99 of replica-1 and nowhere else");
        assertThat(status).isZero();
    }

    @Test
    void aSlowNodeIsJudgedDriftAndNoOther(@TempDir Path directory) {
        assumeTrue(influx.isFound(), influx.reason());
        StringWriter out = new StringWriter();

        int status = InferwatchCommand.commandLine()
                .setOut(new PrintWriter(out))
                .execute("demo", "--live", "--fault=slow-node", "--data=" + directory.resolve("data"));

        assertThat(out.toString()).contains("every one, once").contains("DRIFT of node-1 was confirmed");
        assertThat(status).isZero();
    }

    @Test
    void longerPromptsAreJudgedMix(@TempDir Path directory) {
        assumeTrue(influx.isFound(), influx.reason());
        StringWriter out = new StringWriter();

        int status = InferwatchCommand.commandLine()
                .setOut(new PrintWriter(out))
                .execute("demo", "--live", "--fault=longer-prompts", "--data=" + directory.resolve("data"));

        assertThat(out.toString()).contains("every one, once").contains("by the traffic's mix; no node has drifted");
        assertThat(status).isZero();
    }
}
