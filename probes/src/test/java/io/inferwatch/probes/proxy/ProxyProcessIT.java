package io.inferwatch.probes.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.inferwatch.probes.ProbeProcess;
import io.inferwatch.probes.RequestsTopic;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.servers.KafkaBroker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** The proxy as a process of its own: how it ends by SIGTERM, is replaced under load, and goes on while its broker is away. */
class ProxyProcessIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern STARTED =
            Pattern.compile("replica .*: .*:(?<clients>\\d+) -> .*, admin on .*:(?<admin>\\d+)");

    private static KafkaBroker broker;

    @TempDir
    private Path directory;

    private final NumberedStreams streams = new NumberedStreams();
    private final List<ProbeProcess> processes = new ArrayList<>();
    private ScriptedUpstream upstream;
    private String replica;

    @BeforeAll
    static void startBroker() {
        broker = KafkaBroker.start();
        RequestsTopic.create(broker);
    }

    @AfterAll
    static void stopBroker() {
        broker.close();
    }

    @BeforeEach
    void start(TestInfo test) throws IOException {
        replica = test.getTestMethod().orElseThrow().getName();
        upstream = new ScriptedUpstream(streams, new ServerSocket(0, 1024, InetAddress.getLoopbackAddress()));
        if (broker.pid().isEmpty()) {
            broker.restart();
        }
    }

    @AfterEach
    void stop() throws IOException {
        processes.forEach(ProbeProcess::close);
        upstream.close();
    }

    @Test
    void openStreamsEndWholeAfterSigtermAndNewOnesAreTakenForTheDelayOnly() throws Exception {
        int count = 20;
        ProbeProcess proxy = proxy("proxy", "--drain-delay=3s", "--drain-timeout=10m");
        int port = proxy.port("clients");
        List<RawClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                RawClient client = new RawClient(port).post(NumberedStreams.heldPath(i), NumberedStreams.ASK);
                clients.add(client);
                assertThat(client.head().get(0)).isEqualTo("HTTP/1.1 200 OK");
                assertThat(client.chunk()).isEqualTo(NumberedStreams.first(i));
            }

            proxy.terminate();

            await().until(() -> proxy.status("/readyz") == 503);
            assertThat(proxy.status("/livez")).isEqualTo(200);
            try (RawClient late = new RawClient(port).post(NumberedStreams.path(count), NumberedStreams.ASK)) {
                assertThat(late.head()).contains("HTTP/1.1 200 OK", "connection: close");
                assertThat(late.chunkedBody()).isEqualTo(NumberedStreams.first(count) + NumberedStreams.rest(count));
            }
            await().until(() -> refuses(port));
            assertThat(proxy.status("/readyz")).isEqualTo(503);
            assertThat(proxy.status("/livez")).isEqualTo(200);

            streams.letGo();

            for (int i = 0; i < count; i++) {
                assertThat(clients.get(i).chunkedBody()).isEqualTo(NumberedStreams.rest(i));
            }
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
        assertThat(proxy.exitStatus()).isEqualTo(ProbeProcess.ENDED_BY_SIGTERM);
        assertThat(events())
                .hasSize(count + 1)
                .extracting(RequestEvent::getOutcome)
                .containsOnly(Outcome.OK);
    }

    @Test
    void aStreamThatOutlastsTheTimeoutIsBrokenOffAndTold() throws Exception {
        ProbeProcess proxy = proxy("proxy", "--drain-delay=1ms", "--drain-timeout=300ms");
        try (RawClient client = new RawClient(proxy.port("clients"))) {
            client.post(NumberedStreams.heldPath(1), NumberedStreams.ASK);
            client.head();
            assertThat(client.chunk()).isEqualTo(NumberedStreams.first(1));

            proxy.terminate();

            assertThatThrownBy(client::chunk).isInstanceOf(IOException.class);
        }
        assertThat(proxy.exitStatus()).isEqualTo(ProbeProcess.ENDED_BY_SIGTERM);
        assertThat(proxy.output())
                .contains("inferwatch probe proxy: requests were still open after 300ms and are broken off");
        assertThat(events()).singleElement().satisfies(event -> {
            assertThat(event.getOutcome()).isEqualTo(Outcome.SERVER_CANCEL);
            assertThat(event.getErrorType()).isEqualTo("proxy-shutdown");
            assertThat(event.getTtftMicros()).isNotNull();
        });
    }

    @Test
    void aRollingRestartUnderAThousandStreamsBreaksNone() throws Exception {
        int held = 1_000;
        int during = 200;
        ProbeProcess old = proxy("old", "--drain-delay=3s", "--drain-timeout=10m");
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < held; i++) {
            answers.add(ask(client, old, NumberedStreams.heldPath(i)));
        }
        await().atMost(PATIENCE).until(() -> streams.begun() == held);
        ProbeProcess next = proxy("next", "--drain-delay=1ms", "--drain-timeout=10m");

        old.terminate();
        for (int i = held; i < held + during; i++) {
            // As a balancer does: to the first that says it is ready.
            ProbeProcess ready = old.status("/readyz") == 200 ? old : next;
            answers.add(ask(client, ready, NumberedStreams.path(i)));
        }
        await().until(() -> refuses(old.port("clients")));
        streams.letGo();

        for (int i = 0; i < answers.size(); i++) {
            HttpResponse<String> answer = answers.get(i).join();
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo(NumberedStreams.first(i) + NumberedStreams.rest(i));
        }
        assertThat(old.exitStatus()).isEqualTo(ProbeProcess.ENDED_BY_SIGTERM);
        next.terminate();
        assertThat(next.exitStatus()).isEqualTo(ProbeProcess.ENDED_BY_SIGTERM);

        List<RequestEvent> events = events();
        assertThat(events)
                .hasSize(held + during)
                .extracting(RequestEvent::getOutcome)
                .containsOnly(Outcome.OK);
        Map<String, List<Long>> sequences = sequences(events);
        assertThat(sequences).as("a stream for each process").hasSize(2);
        assertThat(sequences.values()).allSatisfy(of -> assertThat(of)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.range(0, of.size()).boxed().toList()));
    }

    @Test
    void aKilledBrokerChangesNothingForClientsAndCostsNoEvent() throws Exception {
        int each = 40;
        Path config = Files.writeString(
                directory.resolve("spooling.yaml"), """
                identity: {salt-file: '%s'}
                spool: {directory: '%s'}
                """.formatted(salt(), directory.resolve("spool")));
        ProbeProcess proxy = proxy("proxy", "--config=" + config);
        await().atMost(PATIENCE).until(() -> proxy.metric("inferwatch_probe_heartbeats_sent_total") > 0);
        served(proxy, 0, each);
        await().atMost(PATIENCE).until(() -> proxy.metric("inferwatch_probe_events_acknowledged_total") == each);

        broker.kill();
        served(proxy, each, 2 * each);
        await().atMost(PATIENCE).until(() -> proxy.metric("inferwatch_probe_events_in_spool") == each);

        broker.restart();
        served(proxy, 2 * each, 3 * each);
        await().atMost(PATIENCE).until(() -> proxy.metric("inferwatch_probe_events_acknowledged_total") == 3 * each);
        assertThat(proxy.metric("inferwatch_probe_events_in_spool")).isZero();
        assertThat(proxy.metric("inferwatch_probe_events_published_total")).isEqualTo(3 * each);

        assertThat(events())
                .extracting(RequestEvent::getSequence)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.range(0, 3L * each).boxed().toList());
        assertThat(events()).allSatisfy(event -> {
            assertThat(event.getOutcome()).isEqualTo(Outcome.OK);
            // openssl dgst -sha256 -mac HMAC -macopt key:0123456789abcdef0123
            assertThat(event.getTenant()).isEqualTo("59e5ccfb9adf513c");
        });
        assertThat(RequestsTopic.read(broker).heartbeats())
                .filteredOn(heartbeat -> heartbeat.getReplica().equals(replica))
                .isNotEmpty()
                .extracting(Heartbeat::getStream)
                .containsOnly(events().get(0).getStream());
    }

    /** Every stream of these numbers comes whole, one after another on one connection. */
    private static void served(ProbeProcess proxy, int from, int to) throws IOException {
        try (RawClient client = new RawClient(proxy.port("clients"))) {
            for (int i = from; i < to; i++) {
                client.send("POST " + NumberedStreams.path(i)
                        + " HTTP/1.1\r\nHost: model\r\nX-Tenant-Id: acme\r\nContent-Length: "
                        + NumberedStreams.ASK.length() + "\r\n\r\n" + NumberedStreams.ASK);
                assertThat(client.head().get(0)).isEqualTo("HTTP/1.1 200 OK");
                assertThat(client.chunkedBody()).isEqualTo(NumberedStreams.first(i) + NumberedStreams.rest(i));
            }
        }
    }

    private static CompletableFuture<HttpResponse<String>> ask(HttpClient client, ProbeProcess proxy, String path) {
        return client.sendAsync(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + proxy.port("clients") + path))
                        .POST(HttpRequest.BodyPublishers.ofString(NumberedStreams.ASK))
                        .timeout(PATIENCE)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private ProbeProcess proxy(String name, String... more) throws IOException {
        Path config = Files.writeString(directory.resolve(name + ".yaml"), "identity: {salt-file: '" + salt() + "'}");
        List<String> arguments = new ArrayList<>(List.of(
                "proxy",
                "--listen=0",
                "--admin-listen=0",
                "--upstream=" + upstream.uri(),
                "--replica=" + replica,
                "--bootstrap-servers=" + broker.bootstrapServers()));
        if (Stream.of(more).noneMatch(argument -> argument.startsWith("--config"))) {
            arguments.add("--config=" + config);
        }
        arguments.addAll(List.of(more));
        ProbeProcess process = ProbeProcess.start(directory.resolve(name + ".log"), STARTED, "warn", arguments);
        processes.add(process);
        return process;
    }

    private Path salt() throws IOException {
        return Files.writeString(directory.resolve("salt"), "0123456789abcdef0123");
    }

    /** This test's, without repeats. */
    private List<RequestEvent> events() {
        return RequestsTopic.read(broker).distinctEvents().stream()
                .filter(event -> event.getReplica().equals(replica))
                .toList();
    }

    private static Map<String, List<Long>> sequences(List<RequestEvent> events) {
        return events.stream()
                .collect(Collectors.groupingBy(
                        RequestEvent::getStream,
                        Collectors.mapping(
                                (Function<RequestEvent, Long>) RequestEvent::getSequence, Collectors.toList())));
    }

    private static boolean refuses(int port) {
        try (RawClient client = new RawClient(port)) {
            return client == null;
        } catch (IOException e) {
            return true;
        }
    }
}
