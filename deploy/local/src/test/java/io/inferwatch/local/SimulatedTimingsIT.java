package io.inferwatch.local;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.KafkaTopics;
import io.inferwatch.probes.admin.ListenAddress;
import io.inferwatch.probes.identity.IdentityRules;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.probes.otlp.OtlpProbe;
import io.inferwatch.probes.otlp.OtlpSettings;
import io.inferwatch.probes.proxy.ProxyProbe;
import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.probes.publish.KafkaPublisher;
import io.inferwatch.probes.publish.KafkaSettings;
import io.inferwatch.probes.publish.PublisherSettings;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.settings.Settings;
import io.inferwatch.servers.KafkaBroker;
import io.inferwatch.simulation.http.SimulationServer;
import io.inferwatch.simulation.http.SimulationSettings;
import io.inferwatch.simulation.serving.Fault;
import io.inferwatch.simulation.serving.ServerSpec;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** What the probes say of a simulated server against what the server says of itself, in real time. */
@Tag("slow")
class SimulatedTimingsIT {
    private static final int WARM_UP = 200;
    private static final int REQUESTS = 100;
    private static final int AT_ONCE = 2;
    private static final int TOKENS = 12;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static KafkaBroker broker;

    private final ObjectMapper json = new ObjectMapper();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @TempDir
    private Path directory;

    private String replica;
    private Path log;
    private SimulationServer server;
    private EventPublisher publisher;
    private ProxyProbe proxy;

    /** A request as the server's own log has it. */
    private record Served(long[] sentNanos, int promptTokens, int cachedTokens, long queueNanos, long prefillNanos) {
        long ttftNanos() {
            return sentNanos[0];
        }

        long e2eNanos() {
            return sentNanos[sentNanos.length - 1];
        }

        Stream<Long> gapsNanos() {
            List<Long> gaps = new ArrayList<>();
            for (int i = 1; i < sentNanos.length; i++) {
                gaps.add(sentNanos[i] - sentNanos[i - 1]);
            }
            return gaps.stream();
        }
    }

    @BeforeAll
    static void startKafka() throws Exception {
        broker = KafkaBroker.start();
        KafkaTopics.create(KafkaConnection.to(broker.bootstrapServers()), 1, (short) 1);
    }

    @AfterAll
    static void stopKafka() {
        broker.close();
    }

    @BeforeEach
    void start(TestInfo test) {
        replica = test.getTestMethod().orElseThrow().getName();
        log = directory.resolve("timing.jsonl");
        server = SimulationServer.start(
                SimulationSettings.of(ServerSpec.usual(1, 9)).withTimingLog(log));
        Settings settings = Settings.parse(
                "test", "replica: {name: " + replica + "}\nidentity: {salt-file: '" + directory.resolve("salt") + "'}");
        publisher = new KafkaPublisher(PublisherSettings.of("test", KafkaSettings.of(broker.bootstrapServers())));
        proxy = ProxyProbe.start(
                ListenAddress.parse("0"),
                URI.create(server.url()),
                ReplicaIdentity.of(settings.section("replica"), Map.of()),
                IdentityRules.of(settings.section("identity")),
                publisher,
                Optional.empty());
    }

    @AfterEach
    void stop() {
        proxy.close();
        publisher.close();
        server.close();
    }

    /**
     * Request by request. Every interval of the proxy's holds the server's: it begins before and ends after. A machine with other work to do
     * holds either side up between its two stamps and so only adds to the difference, wherefore most requests have to agree and not all; of first tokens,
     * which wait for both sides to wake up, some.
     */
    @Test
    void theProxysTimesAreTheServersWithinAMillisecondOrAPercent() throws Exception {
        ask("warm-up", WARM_UP);
        ask("timed", REQUESTS);
        Map<String, Served> served = served();
        Map<String, RequestEvent> measured = new HashMap<>();
        await().atMost(PATIENCE).until(() -> {
            events().forEach(event -> measured.put(event.getRequestId(), event));
            return measured.size() == WARM_UP + REQUESTS;
        });

        List<Double> ttft = new ArrayList<>();
        List<Double> afterFirst = new ArrayList<>();
        List<Double> e2e = new ArrayList<>();
        List<Long> gaps = new ArrayList<>();
        QuantileSketch measuredGaps = new QuantileSketch();
        for (int i = 0; i < REQUESTS; i++) {
            Served truth = requireNonNull(served.get("timed-" + i));
            RequestEvent event = requireNonNull(measured.get("timed-" + i));
            assertThat(event.getOutcome()).isEqualTo(Outcome.LENGTH);
            assertThat(event.getOutputTokens()).isEqualTo(TOKENS);
            assertThat(event.getPromptTokens()).isEqualTo(truth.promptTokens());
            assertThat(event.getCachedTokens()).isEqualTo(truth.cachedTokens());
            // As the server's headers say, rounded to microseconds.
            assertThat(event.getQueueMicros()).isEqualTo(Math.round(truth.queueNanos() / 1e3));
            assertThat(event.getPrefillMicros()).isEqualTo(Math.round(truth.prefillNanos() / 1e3));
            // Each is rounded to microseconds.
            assertThat(event.getTtftMicros()).isGreaterThanOrEqualTo(truth.ttftNanos() / 1_000 - 1);
            assertThat(event.getE2eMicros()).isGreaterThanOrEqualTo(truth.e2eNanos() / 1_000 - 1);
            ttft.add(excess(event.getTtftMicros() * 1e3, truth.ttftNanos()));
            afterFirst.add(
                    excess((event.getE2eMicros() - event.getTtftMicros()) * 1e3, truth.e2eNanos() - truth.ttftNanos()));
            e2e.add(excess(event.getE2eMicros() * 1e3, truth.e2eNanos()));
            truth.gapsNanos().forEach(gaps::add);
            ByteBuffer bytes = event.getItlSketch();
            measuredGaps.merge(
                    SketchEncoding.decode(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining()));
        }
        // A request waits for its turn on a shared machine, the first token most of all: what the proxy itself adds is
        // in the least of many.
        assertThat(shareWithinLimit(ttft)).as("TTFT within 1 ms or 1 %%").isPositive();
        assertThat(shareWithinLimit(afterFirst))
                .as("last token after the first within 1 ms or 1 %%")
                .isGreaterThan(0.5);
        assertThat(shareWithinLimit(e2e)).as("E2E within 1 ms or 1 %%").isGreaterThan(0.5);
        assertThat(measuredGaps.n()).isEqualTo(REQUESTS * (TOKENS - 1L)).isEqualTo(gaps.size());
        long[] sorted = gaps.stream().mapToLong(Long::longValue).sorted().toArray();
        assertThat(excess(measuredGaps.quantile(0.5), sorted[sorted.length / 2]))
                .as("median ITL beyond 1 ms or 1 %%")
                .isLessThanOrEqualTo(1);
    }

    @Test
    void aRequestThatHangsShowsInTheHeartbeatsWithinTenSeconds() throws Exception {
        server.switchOn(Fault.HANGING_REQUESTS, 1);
        CompletableFuture<HttpResponse<Void>> hanging = send("hanging-0");

        await().atMost(Duration.ofSeconds(10)).until(() -> oldestOpenMicros().anyMatch(age -> age > 0));
        assertThat(hanging).isNotDone();
        assertThat(heartbeats()).anySatisfy(heartbeat -> {
            assertThat(heartbeat.getOpenRequests()).isEqualTo(1);
            assertThat(heartbeat.getAwaitingFirstToken()).isEqualTo(1);
        });

        hanging.cancel(true);

        await().atMost(PATIENCE).until(() -> events().anyMatch(event -> event.getOutcome() == Outcome.CLIENT_CANCEL));
    }

    @Test
    void theServersSpansBecomeEventsWithItsOwnTimes() throws Exception {
        String trace = "0af7651916cd43dd8448eb211c80319c";
        Settings settings = Settings.parse(
                "test", "join: {patience: 100ms}\nidentity: {salt-file: '" + directory.resolve("salt") + "'}");
        ListenAddress any = ListenAddress.parse("0");
        OtlpSettings otlp =
                OtlpSettings.of(settings, any, any, Optional.empty(), IdentityRules.of(settings.section("identity")));
        Path tracedLog = directory.resolve("traced.jsonl");
        ServerSpec spec = ServerSpec.usual(2, 9);
        try (OtlpProbe probe = OtlpProbe.start(otlp, publisher, new PrometheusRegistry());
                SimulationServer traced = SimulationServer.start(SimulationSettings.of(spec)
                        .withTimingLog(tracedLog)
                        .withTraces(URI.create("http://127.0.0.1:" + probe.httpPort() + "/v1/traces")))) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(traced.url() + "/v1/completions"))
                    .header("traceparent", "00-" + trace + "-b7ad6b7169203331-01")
                    .POST(HttpRequest.BodyPublishers.ofString(
                            "{\"max_tokens\": 7, \"ignore_eos\": true, \"prompt\": \"a b c\"}"))
                    .build();
            assertThat(client.send(request, HttpResponse.BodyHandlers.discarding())
                            .statusCode())
                    .isEqualTo(200);
            await().atMost(PATIENCE).until(() -> spans(trace).findFirst().isPresent());
        }
        JsonNode choice = json.readTree(Files.readAllLines(tracedLog).get(0)).at("/choices/0");
        assertThat(spans(trace)).singleElement().satisfies(event -> {
            assertThat(event.getReplica()).isEqualTo(spec.replica());
            assertThat(event.getVersion()).isEqualTo(spec.version());
            assertThat(event.getModel()).isEqualTo(spec.model());
            assertThat(event.getOutputTokens()).isEqualTo(7);
            assertThat(event.getPromptTokens())
                    .isEqualTo(choice.get("promptTokens").asLong());
            assertThat(event.getQueueMicros())
                    .isEqualTo(Math.round(choice.get("queueNanos").asLong() / 1e3));
            assertThat(event.getPrefillMicros())
                    .isEqualTo(Math.round(choice.get("prefillNanos").asLong() / 1e3));
            assertThat(event.getE2eMicros()).isGreaterThan(event.getTtftMicros());
        });
    }

    private static double shareWithinLimit(List<Double> excesses) {
        return (double) excesses.stream().filter(excess -> excess <= 1).count() / excesses.size();
    }

    /** One is agreement at the very limit. */
    private static double excess(double measuredNanos, long trueNanos) {
        return Math.abs(measuredNanos - trueNanos) / Math.max(1e6, 0.01 * trueNanos);
    }

    private void ask(String name, int count) {
        List<CompletableFuture<?>> open = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            open.add(send(name + "-" + i));
            if (open.size() == AT_ONCE || i == count - 1) {
                CompletableFuture.allOf(open.toArray(new CompletableFuture<?>[0]))
                        .join();
                open.clear();
            }
        }
    }

    private CompletableFuture<HttpResponse<Void>> send(String id) {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + proxy.port() + "/v1/chat/completions"))
                .header("x-request-id", id)
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("""
                        {"stream": true, "stream_options": {"include_usage": true, "continuous_usage_stats": true},
                         "max_tokens": %d, "ignore_eos": true, "messages": [{"role": "user", "content": "%s"}]}""".formatted(TOKENS, ("request " + id + " ").repeat(120))))
                .build();
        return client.sendAsync(request, HttpResponse.BodyHandlers.discarding());
    }

    private Map<String, Served> served() {
        await().until(() -> Files.readAllLines(log).size() == WARM_UP + REQUESTS);
        Map<String, Served> served = new HashMap<>();
        try {
            for (String text : Files.readAllLines(log)) {
                JsonNode line = json.readTree(text);
                long[] sent = new long[line.get("sentNanos").size()];
                Arrays.setAll(sent, i -> line.get("sentNanos").get(i).asLong());
                served.put(
                        line.get("requestId").asText(),
                        new Served(
                                sent,
                                line.at("/choices/0/promptTokens").asInt(),
                                line.at("/choices/0/cachedTokens").asInt(),
                                line.at("/choices/0/queueNanos").asLong(),
                                line.at("/choices/0/prefillNanos").asLong()));
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return served;
    }

    private Stream<RequestEvent> events() {
        return records(RequestEvent.class).filter(event -> replica.equals(event.getReplica()));
    }

    private static Stream<RequestEvent> spans(String trace) {
        return records(RequestEvent.class).filter(event -> trace.equals(event.getTraceId()));
    }

    private Stream<Long> oldestOpenMicros() {
        return heartbeats()
                .map(heartbeat -> heartbeat.getOldestOpenMicros() == null ? 0 : heartbeat.getOldestOpenMicros());
    }

    private Stream<Heartbeat> heartbeats() {
        return records(Heartbeat.class).filter(heartbeat -> replica.equals(heartbeat.getReplica()));
    }

    private static <T> Stream<T> records(Class<T> type) {
        return TopicContents.of(broker.bootstrapServers(), Topic.REQUESTS).stream()
                .filter(type::isInstance)
                .map(type::cast);
    }
}
