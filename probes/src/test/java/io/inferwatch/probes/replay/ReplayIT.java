package io.inferwatch.probes.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inferwatch.probes.RequestsTopic;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.servers.KafkaBroker;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Whole replays into a real broker, by the command. */
class ReplayIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Pattern ACKNOWLEDGED = Pattern.compile("\"replica-\\d\" : (\\d+)");

    @TempDir
    private Path directory;

    private KafkaBroker broker;
    private String bootstrapServers;

    private void startBroker() {
        broker = KafkaBroker.start();
        bootstrapServers = broker.bootstrapServers();
    }

    @AfterEach
    void stopBroker() {
        if (broker != null) {
            broker.close();
        }
    }

    @Test
    void theAgenticTraceArrivesRowForRow() {
        startBroker();
        RequestsTopic.create(broker);
        Instant before = Instant.now();
        StringWriter out = new StringWriter();
        assertThat(run(out, new StringWriter(), agentic("max"))).isZero();
        assertThat(out.toString())
                .contains("replay complete: 49,334 of 49,334 requests in Kafka, 49,334 sent")
                .contains("synthetic-dimensions 49,334 of 49,334", "zero-output 27 of 49,334");

        RequestsTopic topic = RequestsTopic.read(broker);
        assertThat(topic.events()).hasSize(49_334);
        assertEveryRowOnce(topic);
        assertThat(topic.events().stream().map(RequestEvent::getE2eMicros).filter(Objects::nonNull))
                .hasSize(45_022);
        assertThat(topic.events().stream().map(RequestEvent::getTtftMicros).filter(Objects::nonNull))
                .hasSize(4_153);
        long latest = topic.events().stream()
                .mapToLong(RequestEvent::getCompletedAtMicros)
                .max()
                .orElseThrow();
        assertThat(Timeline.instant(latest)).isBetween(before.minusMillis(1), Instant.now());
        assertThat(topic.heartbeats().stream()
                        .filter(heartbeat -> heartbeat.getEventTimeMicros() == latest)
                        .map(Heartbeat::getReplica))
                .hasSize(8);
        assertThat(topic.heartbeats().stream()
                        .mapToLong(Heartbeat::getStartedTotal)
                        .max())
                .isPresent();
    }

    @Test
    void aReplayThatIsKilledAndStartedAgainSendsEveryRowOnce() throws Exception {
        startBroker();
        RequestsTopic.create(broker);
        Path resume = directory.resolve("resume.json");
        // 297,251 s at this pace take 10 s; it is killed twice, and the third run ends it.
        List<String> arguments = new ArrayList<>(List.of(agentic("30000")));
        arguments.addAll(List.of("--resume-file", resume.toString()));
        long known = 0;
        for (int kill = 0; kill < 2; kill++) {
            Process process = start(arguments);
            try {
                long before = known;
                await().atMost(PATIENCE).until(() -> !process.isAlive() || acknowledged(resume) > before + 3_000);
                assertThat(process.isAlive()).as("killed in the middle").isTrue();
            } finally {
                process.destroyForcibly();
                assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
            }
            known = acknowledged(resume);
            assertThat(known).isLessThan(49_334);
        }
        StringWriter out = new StringWriter();
        assertThat(run(out, new StringWriter(), arguments.toArray(String[]::new)))
                .isZero();
        assertThat(out.toString())
                .contains("49,334 of 49,334 requests in Kafka")
                .contains("by a former run");

        RequestsTopic topic = RequestsTopic.read(broker);
        assertThat(topic.distinctEvents()).hasSize(49_334);
        assertEveryRowOnce(topic);
        assertThat(acknowledged(resume)).isEqualTo(49_334);
        // All three runs kept the times of the first.
        Trace trace = TraceFixtures.read(TraceFormat.AGENTIC, TraceFixtures.agentic());
        List<RequestEvent> arrived = new ArrayList<>(topic.distinctEvents());
        arrived.sort(Comparator.comparingLong(RequestEvent::getRow));
        long end = arrived.stream()
                .mapToLong(RequestEvent::getCompletedAtMicros)
                .max()
                .orElseThrow();
        Map<Long, Long> expected = new TreeMap<>();
        for (int i = 0; i < trace.size(); i++) {
            long distance = trace.completedMicros(trace.size() - 1) - trace.completedMicros(i);
            expected.put(trace.events().get(i).getRow(), end - Math.round(distance / 30_000.0));
        }
        assertThat(arrived).extracting(RequestEvent::getCompletedAtMicros).containsExactlyElementsOf(expected.values());
    }

    @Test
    void aBrokerThatIsNotThereIsOneLineAndStatusTwo() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            bootstrapServers = "127.0.0.1:" + free.getLocalPort();
        }
        StringWriter err = new StringWriter();
        Instant before = Instant.now();
        assertThat(run(new StringWriter(), err, agentic("max"))).isEqualTo(2);
        assertThat(Duration.between(before, Instant.now())).isLessThan(Duration.ofSeconds(60));
        assertThat(err.toString().strip().lines())
                .singleElement()
                .asString()
                .isEqualTo("inferwatch replay: Kafka at " + bootstrapServers
                        + ": must be reachable, found: no answer within 10 s");
    }

    @Test
    void aTopicThatIsNotThereIsOneLineAndStatusTwo() {
        startBroker();
        StringWriter err = new StringWriter();
        assertThat(run(new StringWriter(), err, agentic("max"))).isEqualTo(2);
        assertThat(err.toString().strip().lines())
                .singleElement()
                .asString()
                .startsWith("inferwatch replay: Kafka at " + bootstrapServers
                        + ": topic 'inferwatch.requests' must exist, found none");
    }

    private static void assertEveryRowOnce(RequestsTopic topic) {
        assertThat(topic.distinctEvents().stream().map(RequestEvent::getRow).sorted())
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, 49_334).boxed().toList());
        Map<String, List<Long>> streams = topic.distinctSequences();
        assertThat(streams).hasSize(8);
        streams.forEach((stream, sequences) -> assertThat(sequences)
                .as(stream)
                .containsExactlyElementsOf(
                        LongStream.range(0, sequences.size()).boxed().toList()));
    }

    private String[] agentic(String speedup) {
        return new String[] {
            TraceFixtures.agentic().toString(),
            "--format",
            "agentic",
            "--speedup",
            speedup,
            "--bootstrap-servers",
            bootstrapServers
        };
    }

    private static int run(StringWriter out, StringWriter err, String... arguments) {
        return new CommandLine(new ReplayCommand())
                .setErr(new PrintWriter(err, true))
                .setOut(new PrintWriter(out, true))
                .execute(arguments);
    }

    private Process start(List<String> arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                ReplayProcess.class.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("replay.log").toFile())
                .start();
    }

    private static long acknowledged(Path resume) throws IOException {
        if (!Files.exists(resume)) {
            return 0;
        }
        Matcher matcher = ACKNOWLEDGED.matcher(Files.readString(resume));
        long sum = 0;
        while (matcher.find()) {
            sum += Long.parseLong(matcher.group(1));
        }
        return sum;
    }
}
