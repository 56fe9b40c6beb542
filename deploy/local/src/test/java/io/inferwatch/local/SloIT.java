package io.inferwatch.local;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.inferwatch.dashboards.Dashboard;
import io.inferwatch.dashboards.Dashboards;
import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.KafkaTopics;
import io.inferwatch.notifier.RunningNotifier;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.MetricSum;
import io.inferwatch.schemas.Setting;
import io.inferwatch.schemas.Severity;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.servers.AlertmanagerServer;
import io.inferwatch.servers.Availability;
import io.inferwatch.servers.KafkaBroker;
import io.inferwatch.servers.TestServers;
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
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Three hours of one model's minutes through the job that judges, the notifier and a real Alertmanager. For a quarter of an hour every request fails. The job runs
 * to the end of the outage, and then once more over everything, as one that has lost its state.
 */
@Timeout(240)
class SloIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long MINUTE = 60_000_000;
    private static final int REQUESTS = 1_000;
    private static final int GOOD = 150;
    private static final int OUTAGE = 15;
    private static final int AFTER = 10;
    private static final String SLO = """
            apiVersion: openslo/v1
            kind: SLO
            metadata: {name: answers}
            spec:
              service: chat
              indicator:
                metadata: {name: answered}
                spec:
                  ratioMetric:
                    counter: true
                    bad: {metricSource: {type: inferwatch, spec: {metric: failed}}}
                    total: {metricSource: {type: inferwatch, spec: {metric: requests, view: model-version}}}
              timeWindow: [{duration: 30d, isRolling: true}]
              budgetingMethod: Occurrences
              objectives: [{target: 0.99}]
            """;

    private final EventCodec codec = new EventCodec();

    /** What has ended a while ago is told to nobody: the last minute is now. */
    private final long startMicros =
            ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now().truncatedTo(ChronoUnit.MINUTES))
                    - (GOOD + OUTAGE + AFTER) * MINUTE;

    private final List<JsonNode> told = new CopyOnWriteArrayList<>();

    @Test
    @SuppressWarnings("try") // The notifier runs by itself.
    void anOutageIsPagedOnceAndOverOnceThoughTheJobLosesItsState() throws Exception {
        Availability<Path> program = TestServers.alertmanager();
        assumeTrue(program.isFound(), program.reason());
        HttpServer webhook = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        webhook.createContext("/", exchange -> {
            JSON.readTree(exchange.getRequestBody()).get("alerts").forEach(told::add);
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        webhook.start();
        try (KafkaBroker broker = KafkaBroker.start();
                AlertmanagerServer alertmanager = AlertmanagerServer.start(
                        program.get(), configuration(webhook.getAddress().getPort()))) {
            String servers = broker.bootstrapServers();
            KafkaConnection kafka = KafkaConnection.to(servers);
            KafkaTopics.create(kafka, 3, (short) 1);
            VirtualRun run = new VirtualRun(kafka);
            run.publish(Topic.CONFIG, "slo/answers", List.of(new Setting("slo", "answers", startMicros, SLO)));
            try (RunningNotifier notifier = RunningNotifier.start(
                    servers, alertmanager.url(), Duration.ofSeconds(1), URI.create("http://grafana:3000"))) {
                publish(kafka, 1, GOOD + OUTAGE, minute -> minute > GOOD ? REQUESTS : 0);
                run.detect();
                await("the page").atMost(PATIENCE).until(() -> count("firing", "slo-burn") == 1);
                assertPage(alert("firing", "slo-burn"));
                await("the whole way works")
                        .atMost(PATIENCE)
                        .until(() -> isPresent(alertmanager, "InferwatchWatchdog"));
                Map<Long, FigureResult> before = results(servers);

                publish(kafka, GOOD + OUTAGE + 1, GOOD + OUTAGE + AFTER, minute -> 0);
                run.detect();
                await("its end").atMost(PATIENCE).until(() -> count("resolved", "slo-burn") == 1);
                assertThat(count("firing", "slo-burn"))
                        .as("what fires already is no news")
                        .isEqualTo(1);

                Map<Long, FigureResult> after = results(servers);
                assertThat(after).hasSize(GOOD + OUTAGE + AFTER).containsAllEntriesOf(before);
                assertLast(requireNonNull(after.get(startMicros + (GOOD + OUTAGE + AFTER) * MINUTE)));
            }
            assertAlerts(TopicContents.alerts(servers));
        } finally {
            webhook.stop(0);
        }
    }

    /**
     * In an hour 14.4 % must have failed: the ninth minute's requests make 15 %. Over six hours it would take 6 %, which are more than twenty minutes; over a day
     * three quarters of an hour. Clear are five minutes without a failure, three times running.
     */
    private void assertAlerts(List<Alert> alerts) {
        assertThat(alerts).allSatisfy(alert -> {
            assertThat(alert.getFingerprint()).isEqualTo("slo-burn:answers:model-version/m/v1:page-1h");
            assertThat(alert.getSeverity()).isEqualTo(Severity.PAGE);
            assertThat(minute(alert.getStartsAtMicros())).isEqualTo(GOOD + 9);
            assertThat(alert.getEvidence()).isNotEmpty();
        });
        assertThat(alerts)
                .extracting(Alert::getState, alert -> minute(alert.getChangedAtMicros()))
                .as("the second run raises it again, as the same")
                .containsExactly(
                        tuple(AlertState.FIRING, GOOD + 9L),
                        tuple(AlertState.FIRING, GOOD + 9L),
                        tuple(AlertState.RESOLVED, GOOD + OUTAGE + 7L));
    }

    private static void assertPage(JsonNode page) {
        assertThat(page.at("/labels/severity").asText()).isEqualTo("page");
        assertThat(page.at("/labels/model").asText()).isEqualTo("m");
        assertThat(page.at("/annotations/summary").asText()).contains("answers", "model m", "burns its error budget");
        assertThat(page.at("/annotations/evidence").asText()).contains("burn over 1h: 15.00 (alerts from 14.40 on)");
        String link = page.get("generatorURL").asText();
        assertThat(link).startsWith("http://grafana:3000/d/").contains("from=", "to=");
        assertThat(Dashboards.all())
                .extracting(Dashboard::uid)
                .contains(link.substring(link.indexOf("/d/") + 3, link.indexOf('?')));
    }

    /** 15,000 of 175,000 have failed, where one in a hundred of thirty days like these may. */
    private static void assertLast(FigureResult last) {
        int minutes = GOOD + OUTAGE + AFTER;
        assertThat(last.getCounts())
                .containsEntry("total", (long) minutes * REQUESTS)
                .containsEntry("good", (long) (GOOD + AFTER) * REQUESTS);
        assertThat(last.getValues().get("budget_left"))
                .isEqualTo(1 - OUTAGE / (0.01 * Duration.ofDays(30).toMinutes()), offset(1e-9));
        assertThat(last.getValues().get("burn")).isEqualTo(OUTAGE / 60.0 / 0.01, offset(1e-9));
    }

    private static String configuration(int port) {
        return """
                route:
                  receiver: test
                  group_by: [alertname, slo]
                  group_wait: 0s
                  group_interval: 1s
                  repeat_interval: 4h
                receivers:
                  - name: test
                    webhook_configs:
                      - {url: 'http://127.0.0.1:%d/', send_resolved: true}
                """.formatted(port);
    }

    private void publish(KafkaConnection kafka, int first, int last, IntUnaryOperator failed) {
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(kafka.clientProperties(), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int minute = first; minute <= last; minute++) {
                long endMicros = startMicros + minute * MINUTE;
                WindowStat window = new WindowStat(
                        "model-version/m/v1",
                        "model-version",
                        List.of(new Dimension("model", "m"), new Dimension("version", "v1")),
                        MINUTE,
                        endMicros,
                        0,
                        (long) REQUESTS,
                        List.of(new MetricSum("requests", (long) REQUESTS), new MetricSum("failed", (long)
                                failed.applyAsInt(minute))),
                        List.of(),
                        List.of(),
                        List.of());
                var unused = producer.send(new ProducerRecord<>(
                        Topic.WINDOWS.topicName(),
                        null,
                        endMicros / 1_000,
                        window.getSeries().getBytes(StandardCharsets.UTF_8),
                        codec.encode(window)));
            }
            producer.flush();
        }
    }

    /** How the objective stood, by the end of the minute; the last that was told of it. */
    private static Map<Long, FigureResult> results(String servers) {
        return TopicContents.of(servers, Topic.RESULTS).stream()
                .filter(FigureResult.class::isInstance)
                .map(FigureResult.class::cast)
                .filter(result -> result.getKind().equals("slo"))
                .collect(Collectors.toMap(
                        FigureResult::getWindowEndMicros, result -> result, (earlier, later) -> later));
    }

    private long minute(long micros) {
        return (micros - startMicros) / MINUTE;
    }

    private long count(String status, String alertname) {
        return told.stream()
                .filter(alert -> alert.get("status").asText().equals(status)
                        && alert.at("/labels/alertname").asText().equals(alertname))
                .count();
    }

    private JsonNode alert(String status, String alertname) {
        return told.stream()
                .filter(alert -> alert.get("status").asText().equals(status)
                        && alert.at("/labels/alertname").asText().equals(alertname))
                .findFirst()
                .orElseThrow();
    }

    private static boolean isPresent(AlertmanagerServer alertmanager, String alertname) throws Exception {
        String body = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(alertmanager.url().resolve("/api/v2/alerts"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
        for (JsonNode alert : JSON.readTree(body)) {
            if (alert.at("/labels/alertname").asText().equals(alertname)) {
                return true;
            }
        }
        return false;
    }
}
