package io.inferwatch.probes.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.probes.ProbeCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What is given wrong is told whole, with exit status 2. */
class EngineCommandIT {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory;

    @Test
    void allProblemsAreReportedTogether() throws IOException {
        Path config = Files.writeString(directory.resolve("engine.yaml"), """
                targets:
                  chat-0: {url: "ftp://host/metrics", regoin: eu}
                scrape: {timeout: 1h, max-kib: 0}
                mappings:
                  engines:
                    vllm:
                      gauges:
                        runingRequests: {series: ["my:running"]}
                        waitingRequests: {series: ["my:waiting{le=}"], combine: mean}
                      histograms: {tftt: {series: ["my:first"]}}
                """);
        assertThat(run("--config=" + config, "--interval=soon", "--bootstrap-servers=localhost:1"))
                .isEqualTo(2);
        assertThat(err.toString())
                .contains("--interval: must be a duration between 100ms and 1h such as 10s, found 'soon'")
                .contains("targets.chat-0.url: must be http://HOST:PORT or https://HOST:PORT")
                .contains("targets.chat-0.regoin: unknown key, did you mean 'region'?")
                .contains("scrape.timeout: must be a duration between 100ms and 10s")
                .contains("scrape.max-kib: must be a whole number between 1 and")
                .contains(
                        "runingRequests: must be a field of the sample that takes a number, found 'runingRequests', did you"
                                + " mean 'runningRequests'?")
                .contains("waitingRequests.series[0]: must be a series such as name{label=\"value\"}")
                .contains("waitingRequests.combine: must be one of sum, max, found 'mean'")
                .contains("tftt: must be a latency of")
                .contains("did you mean 'ttft'?")
                .doesNotContain("\tat ");
    }

    @Test
    void withoutTargetsThereIsNothingToDo() {
        assertThat(run("--bootstrap-servers=localhost:1")).isEqualTo(2);
        assertThat(err.toString())
                .contains("--targets: must be given, or targets or discover in the settings, found nothing");
    }

    @Test
    void aCheckSaysWhatIsRecognisedWhatIsMissingAndWhatNobodyKnows() {
        try (PageServer server = new PageServer()
                .on("/metrics", "text/plain", """
                        vllm:num_requests_running{model_name="llama"} 3
                        vllm:num_requests_waiting{model_name="llama"} 1
                        vllm:request_queue_time_seconds_bucket{le="0.3"} 9
                        vllm:request_queue_time_seconds_bucket{le="+Inf"} 10
                        vllm:brand_new_thing 7
                        vllm:num_preemptions_total oops
                        go_threads 5
                        """)
                .on("/other", "text/plain", "prometheus_build_info{version=\"2.42\"} 1\n")
                .on("/gone", exchange -> exchange.sendResponseHeaders(404, -1))) {
            assertThat(run("check", server.url("").toString())).isZero();
            assertThat(out.toString())
                    .contains("engine: vllm, model llama; mapping 20")
                    .contains("6 samples: 4 mapped, 1 known and not needed, 1 unknown")
                    .containsPattern("runningRequests +3 +vllm:num_requests_running")
                    .containsPattern("load +yes")
                    .containsPattern("KV pressure +missing kvUsagePpm, preemptionsTotal or pausedRequests")
                    .contains("queue: the first bucket ends at 0.3 s")
                    .contains("P50 lies within the first bucket, below 0.3 s")
                    .contains("P99 lies above the last bound, 0.3 s")
                    .contains("rejected: 1 not a number")
                    .containsPattern("unknown series:\\s+vllm:brand_new_thing");
            assertThat(run("check", server.url("/other").toString())).isEqualTo(1);
            assertThat(out.toString()).contains("engine: none recognised").contains("prometheus_build_info");
            assertThat(run("check", server.url("/gone").toString())).isEqualTo(1);
            assertThat(err.toString()).contains("status 404");
        }
        assertThat(run("check", "nowhere")).isEqualTo(2);
    }

    @Test
    void aUsersMappingGoesBeforeTheBuiltInOne() throws IOException {
        Path config = Files.writeString(directory.resolve("engine.yaml"), """
                mappings:
                  version: "mine"
                  unused: ["noise_*"]
                  engines:
                    vllm: {gauges: {runningRequests: {series: ["my:running"], factor: "10"}}}
                """);
        try (PageServer server = new PageServer()
                .on("/metrics", "text/plain", "my:running 2\nvllm:num_requests_waiting 1\nnoise_level 3\n")) {
            assertThat(run("check", "--config=" + config, server.url("").toString()))
                    .isZero();
        }
        assertThat(out.toString())
                .contains("+mine")
                .containsPattern("runningRequests +2 +my:running")
                .containsPattern("waitingRequests +1 ")
                .contains("0 unknown");
    }

    private int run(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        String[] all = new String[arguments.length + 1];
        all[0] = "engine";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return new CommandLine(new ProbeCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(all);
    }
}
