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

/** Takes four minutes, hence only where long tests are asked for. */
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
}
