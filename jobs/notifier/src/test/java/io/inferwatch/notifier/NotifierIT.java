package io.inferwatch.notifier;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Severity;
import io.inferwatch.schemas.Topic;
import io.inferwatch.servers.AlertmanagerServer;
import io.inferwatch.servers.Availability;
import io.inferwatch.servers.KafkaBroker;
import io.inferwatch.servers.TestServers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A real broker and a real Alertmanager, whose notifications come to a webhook of ours. */
@Timeout(180)
class NotifierIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration RESEND = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private static @Nullable KafkaBroker broker;
    private static @Nullable AlertmanagerServer alertmanager;
    private static @Nullable HttpServer webhook;

    /** A notification of one alert. */
    private record Told(String status, String alertname, String slo, JsonNode alert) {}

    private static final List<Told> TOLD = new CopyOnWriteArrayList<>();

    private final List<AutoCloseable> running = new ArrayList<>();

    @BeforeAll
    static void startServers() throws IOException {
        Availability<Path> program = TestServers.alertmanager();
        assumeTrue(program.isFound(), program.reason());
        webhook = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        webhook.createContext("/", exchange -> {
            for (JsonNode alert : JSON.readTree(exchange.getRequestBody()).get("alerts")) {
                TOLD.add(new Told(
                        alert.get("status").asText(),
                        alert.at("/labels/alertname").asText(),
                        alert.at("/labels/slo").asText(),
                        alert));
            }
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        webhook.start();
        alertmanager = AlertmanagerServer.start(
                program.get(), """
                route:
                  receiver: test
                  group_by: [alertname, slo, severity]
                  group_wait: 0s
                  group_interval: 1s
                  repeat_interval: 4h
                inhibit_rules:
                  - source_matchers: ['severity="page"']
                    target_matchers: ['severity="ticket"']
                    equal: [slo]
                receivers:
                  - name: test
                    webhook_configs:
                      - {url: 'http://127.0.0.1:%d/', send_resolved: true}
                """.formatted(webhook.getAddress().getPort()));
    }

    @AfterAll
    static void stopServers() {
        if (alertmanager != null) {
            alertmanager.close();
        }
        if (webhook != null) {
            webhook.stop(0);
        }
    }

    @BeforeEach
    void startBroker() {
        broker = KafkaBroker.start(KafkaBroker.Options.temporary());
        broker.createTopic(Topic.ALERTS.topicName(), 3, Topic.ALERTS.kafkaSettings());
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable one : running) {
            one.close();
        }
        requireNonNull(broker).close();
    }

    /** Alertmanager restarts, the notifier restarts, all of Kafka is told again: one notification that it fires, one that it is over. */
    @Test
    void firesOnceAndResolvesOnceThroughAllRestarts() throws Exception {
        AutoCloseable first = notifier(Duration.ofMinutes(10));
        publish(firing("once", Severity.PAGE));
        await().atMost(PATIENCE).until(() -> told("firing", "once") == 1);
        JsonNode before = requireNonNull(present("once"));

        requireNonNull(alertmanager).restart();
        await().atMost(PATIENCE).until(() -> present("once") != null);
        first.close();
        notifier(Duration.ofMinutes(10));
        Instant restarted = Instant.now();
        await().atMost(PATIENCE).until(() -> updatedAfter("once", restarted));
        JsonNode after = requireNonNull(present("once"));
        assertThat(after.get("fingerprint")).isEqualTo(before.get("fingerprint"));
        assertThat(after.get("startsAt")).isEqualTo(before.get("startsAt"));

        publish(resolved("once"));
        await().atMost(PATIENCE).until(() -> told("resolved", "once") == 1);
        // It is told again for a quarter of an hour, which is no news; a later alert shows that several rounds have
        // passed.
        publish(firing("later", Severity.PAGE));
        await().atMost(PATIENCE).until(() -> told("firing", "later") == 1);
        Instant later = Instant.now();
        await().atMost(PATIENCE).until(() -> updatedAfter("later", later.plusSeconds(2)));
        assertThat(told("firing", "once")).isEqualTo(1);
        assertThat(told("resolved", "once")).isEqualTo(1);
        assertThat(told("firing", "later")).isEqualTo(1);
    }

    @Test
    void inhibitionAndSilenceWork() throws Exception {
        notifier(Duration.ofMinutes(10));
        Instant now = Instant.now();
        assertThat(post("/api/v2/silences", """
                        {"matchers": [{"name": "slo", "value": "silenced", "isRegex": false, "isEqual": true}],
                         "startsAt": "%s", "endsAt": "%s", "createdBy": "test", "comment": "a deployment"}
                        """.formatted(now.minusSeconds(60), now.plusSeconds(600))))
                .isEqualTo(200);
        publish(firing("inhibited", Severity.PAGE));
        await().atMost(PATIENCE).until(() -> told("firing", "inhibited") == 1);
        publish(Alerts.alert("slow", AlertState.FIRING, Severity.TICKET, now, Map.of("slo", "inhibited")));
        publish(firing("silenced", Severity.PAGE));
        await().atMost(PATIENCE)
                .until(() -> suppressedBy("slow", "inhibitedBy") && suppressedBy("slo-burn", "silencedBy"));
        publish(firing("neither", Severity.PAGE));
        await().atMost(PATIENCE).until(() -> told("firing", "neither") == 1);
        assertThat(TOLD).noneMatch(told -> told.alertname.equals("slow") || told.slo.equals("silenced"));
    }

    /** The jobs fall silent; pages go on firing longer than Alertmanager would keep them by itself, marked, until the jobs are back. */
    @Test
    void nothingResolvesByItselfWhileTheJobsAreDown() throws Exception {
        notifier(Duration.ofSeconds(2));
        publish(Alerts.watchdog(Instant.now()));
        publish(firing("outage", Severity.PAGE));
        await().atMost(PATIENCE).until(() -> told("firing", "outage") == 1);
        await().atMost(PATIENCE).until(() -> told("firing", AlertBook.SILENT, "") >= 1);
        Instant silent = Instant.now();
        await().atMost(PATIENCE).until(() -> updatedAfter("outage", silent.plus(RESEND.multipliedBy(5))));
        assertThat(requireNonNull(present("outage")).at("/annotations/stale").asText())
                .startsWith("nothing was heard of the jobs since ");
        assertThat(told("resolved", "outage")).isZero();
        publish(Alerts.watchdog(Instant.now()));
        publish(resolved("outage"));
        await().atMost(PATIENCE).until(() -> told("resolved", "outage") == 1);
    }

    private static Alert firing(String slo, Severity severity) {
        return Alerts.alert("slo-burn", AlertState.FIRING, severity, Instant.now(), Map.of("slo", slo));
    }

    private static Alert resolved(String slo) {
        return Alerts.alert("slo-burn", AlertState.RESOLVED, Severity.PAGE, Instant.now(), Map.of("slo", slo));
    }

    private static long told(String status, String slo) {
        return told(status, "slo-burn", slo);
    }

    private static long told(String status, String alertname, String slo) {
        return TOLD.stream()
                .filter(told -> told.status.equals(status) && told.alertname.equals(alertname) && told.slo.equals(slo))
                .count();
    }

    private AutoCloseable notifier(Duration staleAfter) {
        Properties kafka = new Properties();
        kafka.put("bootstrap.servers", requireNonNull(broker).bootstrapServers());
        kafka.put("enable.auto.commit", "false");
        Notifier notifier = new Notifier(
                new NotifierOptions.Checked(
                        List.of(requireNonNull(alertmanager).url()),
                        Optional.empty(),
                        RESEND,
                        staleAfter,
                        new NoticeWriter(Optional.empty(), Optional.empty()),
                        kafka),
                InstantSource.system());
        notifier.start();
        Thread thread = new Thread(notifier::run, "notifier under test");
        thread.start();
        AutoCloseable closing = () -> {
            notifier.close();
            thread.join();
        };
        running.add(closing);
        return closing;
    }

    private static void publish(Alert alert) throws Exception {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", requireNonNull(broker).bootstrapServers());
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(
                            Topic.ALERTS.topicName(),
                            alert.getFingerprint().getBytes(StandardCharsets.UTF_8),
                            new EventCodec().encode(alert)))
                    .get();
        }
    }

    private static boolean updatedAfter(String slo, Instant at) throws Exception {
        JsonNode alert = present(slo);
        return alert != null && Instant.parse(alert.get("updatedAt").asText()).isAfter(at);
    }

    private static boolean suppressedBy(String alertname, String by) throws Exception {
        for (JsonNode alert : get("/api/v2/alerts")) {
            if (alert.at("/labels/alertname").asText().equals(alertname)
                    && !alert.at("/status/" + by).isEmpty()) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable JsonNode present(String slo) throws Exception {
        for (JsonNode alert : get("/api/v2/alerts")) {
            if (alert.at("/labels/slo").asText().equals(slo)) {
                return alert;
            }
        }
        return null;
    }

    private static JsonNode get(String path) throws Exception {
        URI uri = requireNonNull(alertmanager).url().resolve(path);
        return JSON.readTree(HTTP.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                .body());
    }

    private static int post(String path, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(
                        requireNonNull(alertmanager).url().resolve(path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return HTTP.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
    }
}
