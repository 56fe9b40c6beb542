package io.inferwatch.jobs.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.Severity;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.co.KeyedCoProcessOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Three replicas on a node each; 20 quiet minutes, then 3 of an incident. */
class CauseFunctionTest {
    private static final long MINUTE = GroupWindows.MINUTE_MICROS;
    private static final long START =
            1_000 * Instant.parse("2026-01-01T10:00:00Z").toEpochMilli();
    private static final int QUIET = 20;
    private static final int ALL = QUIET + 3;
    private static final int N = 600;
    private static final MetricCatalogue CATALOGUE = MetricCatalogue.shipped();

    private final EventCodec codec = new EventCodec();
    private KeyedTwoInputStreamOperatorTestHarness<String, SubjectMinute, OutboundRecord, OutboundRecord> harness;

    /** What a minute of a replica is like. */
    private record Minute(
            double queue, double prefill, double decode, double kv, long preemptions, double clock, long failed) {
        static final Minute USUAL = new Minute(20_000, 100_000, 400_000, 500_000, 0, 1_410, 0);
    }

    private interface Course {
        Minute of(int replica, int minute);
    }

    @BeforeEach
    void open() throws Exception {
        harness = harness();
        harness.open();
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void aSlowNodeIsItsDevice() throws Exception {
        run((replica, minute) -> replica == 1 && minute >= QUIET - 2
                ? new Minute(
                        20_000,
                        minute < QUIET ? 100_000 : 300_000,
                        minute < QUIET ? 400_000 : 1_200_000,
                        500_000,
                        0,
                        900,
                        0)
                : Minute.USUAL);
        alert("drift:node-1", Map.of("view", "node-prompt", "node", "node-1"));
        pass();

        Alert alert = alerts().get(0);
        assertThat(alert.getCauses().get(0))
                .startsWith("slow-device (")
                .contains("100 % of the rise in latency", "sm_clock -36.", ", 2 min before", "node node-1 has");
        List<FigureResult> causes = causes();
        assertThat(causes.get(0).getKind()).isEqualTo("cause");
        assertThat(causes.get(0).getView()).isEqualTo("node-prompt");
        assertThat(causes.get(0).getWindowEndMicros()).isEqualTo(START + ALL * MINUTE);
        assertThat(causes.get(0).getDimensions())
                .containsExactly(
                        new Dimension("alert", "drift"),
                        new Dimension("fingerprint", "drift:node-1"),
                        new Dimension("rank", "1"));
        assertThat(causes.get(0).getTexts()).containsEntry("cause", "slow-device");
        assertThat(causes.get(0).getValues()).containsEntry("lead_seconds", 120.0);
        FigureResult unknown = causes.get(causes.size() - 1);
        assertThat(unknown.getTexts()).containsEntry("cause", "unknown");
        assertThat(causes.get(0).getValues().get("cause_share")
                        + unknown.getValues().get("cause_share"))
                .isCloseTo(1, within(1e-9));
    }

    @Test
    void pressureOnAKvCacheIsMemory() throws Exception {
        run((replica, minute) -> replica == 2 && minute >= QUIET
                ? new Minute(900_000, 100_000, 500_000, 980_000, 40, 1_410, 0)
                : Minute.USUAL);
        alert("memory:kv_cache/replica-2", Map.of("view", "engine-replica", "replica", "replica-2", "model", "m"));
        pass();

        assertThat(alerts().get(0).getCauses().get(0))
                .startsWith("memory-pressure (")
                .contains("kv_usage +50.0 of its usual range");
    }

    @Test
    void whatNothingShowsIsUnknownFirst() throws Exception {
        run((replica, minute) -> replica == 0 && minute >= QUIET
                ? new Minute(20_000, 100_000, 400_000, 500_000, 0, 1_410, 200)
                : Minute.USUAL);
        alert("drift:errors", Map.of("view", "replica-version", "replica", "replica-0"));
        pass();

        assertThat(alerts().get(0).getCauses().get(0)).startsWith("unknown (").doesNotContain(":");
        assertThat(causes().get(0).getTexts()).containsEntry("cause", "unknown");
        assertThat(causes().get(0).getValues().get("cause_share")).isGreaterThan(0.5);
    }

    @Test
    void aVersionThatCameWithTheIncidentIsARelease() throws Exception {
        run((replica, minute) ->
                minute >= QUIET ? new Minute(20_000, 130_000, 520_000, 500_000, 0, 1_410, 0) : Minute.USUAL);
        for (int minute = QUIET; minute < ALL; minute++) {
            send(requests(
                    "model-version",
                    new Minute(20_000, 130_000, 520_000, 0, 0, 0, 0),
                    minute,
                    new Dimension("model", "m"),
                    new Dimension("version", "v2")));
        }
        alert("drift:model", Map.of("view", "model-version", "model", "m"));
        pass();

        assertThat(alerts().get(0).getCauses().get(0))
                .startsWith("release (")
                .contains("event release v2, 0 min before");
    }

    @Test
    void withTooLittleBeforeItNothingIsSaid() throws Exception {
        for (int minute = QUIET - 4; minute < ALL; minute++) {
            minute(minute, (replica, number) -> Minute.USUAL);
        }
        alert("drift:fleet", Map.of("view", "fleet"));
        pass();
        assertThat(alerts()).singleElement().satisfies(alert -> assertThat(alert.getCauses())
                .isEmpty());
        assertThat(harness.getSideOutput(CauseFunction.RESULTS)).isNull();
    }

    @Test
    void missingDataAreToldThoughEventTimeStandsStill() throws Exception {
        Alert missing = alert("n", AlertState.FIRING, ALL + 30, Map.of("view", "fleet"), List.of());
        missing.setName("slo-no-data");
        send(missing);
        assertThat(harness.extractOutputValues()).hasSize(1);
    }

    @Test
    void alertsKeepTheirOrderAndTheirCausesOverARestart() throws Exception {
        run((replica, minute) -> Minute.USUAL);
        send(alert("a", AlertState.FIRING, ALL, Map.of("view", "fleet"), List.of("somebody knows")));
        send(alert("a", AlertState.RESOLVED, ALL + 2, Map.of("view", "fleet"), List.of()));
        assertThat(alerts()).as("event time is not there yet").isEmpty();
        OperatorSubtaskState snapshot = harness.snapshot(1, 1);
        harness.close();
        harness = harness();
        harness.initializeState(snapshot);
        harness.open();
        pass();
        assertThat(alerts()).singleElement().satisfies(alert -> assertThat(alert.getCauses())
                .containsExactly("somebody knows"));
        harness.processBothWatermarks(new Watermark((START + (ALL + 2) * MINUTE) / 1_000));
        assertThat(alerts()).extracting(Alert::getState).containsExactly(AlertState.FIRING, AlertState.RESOLVED);
    }

    private void run(Course course) throws Exception {
        for (int minute = 0; minute < ALL; minute++) {
            minute(minute, course);
        }
    }

    private void minute(int minute, Course course) throws Exception {
        for (int replica = 0; replica < 3; replica++) {
            Minute of = course.of(replica, minute);
            Dimension node = new Dimension("node", "node-" + replica);
            Dimension own = new Dimension("replica", "replica-" + replica);
            Dimension model = new Dimension("model", "m");
            send(requests("fleet", of, minute));
            send(requests("node", of, minute, node));
            send(requests("replica-version", of, minute, own, new Dimension("version", "v1")));
            send(requests("mix-model-version", of, minute, new Dimension("mix", "0-511.cold"), model));
            if (minute < QUIET) {
                send(requests("model-version", of, minute, model, new Dimension("version", "v1")));
            }
            for (String view : List.of("engine-fleet", "engine-replica")) {
                GroupWindows engine = view.equals("engine-fleet")
                        ? new GroupWindows("", view)
                        : new GroupWindows("", view, own, model);
                send(
                        view,
                        engine.gauge("kv_usage", Math.round(of.kv + minute % 3), 0)
                                .gauge("waiting_requests", 2, 2)
                                .sum("preemptions", of.preemptions),
                        minute);
            }
            send(
                    "gpu-node",
                    new GroupWindows("", "gpu-node", node).gauge("sm_clock", Math.round(of.clock + minute % 3), 0),
                    minute);
        }
        harness.processWatermark1(new Watermark((START + (minute + 1) * MINUTE) / 1_000 - 1));
    }

    /** Every request takes as long, half of the requests half a percent longer. */
    private static WindowAt requests(String view, Minute of, int minute, Dimension... dimensions) {
        GroupWindows windows = new GroupWindows("", view, dimensions)
                .values("queue", N, i -> of.queue)
                .values("prefill", N, i -> of.prefill)
                .values("decode", N, i -> of.decode)
                .values("prompt_tokens", N, i -> 300 + i % 2)
                .values("e2e", N, i -> (of.queue + of.prefill + of.decode) * (1 + 0.005 * (i % 2)))
                .sum("requests", N + of.failed + minute % 3)
                .sum("failed", of.failed);
        return new WindowAt(view, windows, minute);
    }

    private record WindowAt(String view, GroupWindows windows, int minute) {}

    private void send(WindowAt window) throws Exception {
        send(window.view, window.windows, window.minute);
    }

    private void send(String view, GroupWindows windows, int minute) throws Exception {
        WindowStat window = codec.decode(
                windows.member("", MINUTE, START + (minute + 1) * MINUTE).content(), WindowStat.class);
        for (SubjectMinute one : SubjectMinute.of(CATALOGUE.view(view).orElseThrow(), window)) {
            harness.processElement1(new StreamRecord<>(one));
        }
    }

    private void alert(String fingerprint, Map<String, String> labels) throws Exception {
        send(alert(fingerprint, AlertState.FIRING, ALL, labels, List.of()));
    }

    private static Alert alert(
            String fingerprint, AlertState state, int minute, Map<String, String> labels, List<String> causes) {
        return new Alert(
                fingerprint,
                fingerprint.replaceAll(":.*", ""),
                state,
                Severity.TICKET,
                START + QUIET * MINUTE,
                START + minute * MINUTE,
                null,
                labels,
                "summary",
                List.of(),
                causes);
    }

    private void send(Alert alert) throws Exception {
        harness.processElement2(new StreamRecord<>(
                new OutboundRecord(alert.getFingerprint().getBytes(StandardCharsets.UTF_8), codec.encode(alert), 0)));
    }

    private void pass() throws Exception {
        harness.processBothWatermarks(new Watermark((START + ALL * MINUTE) / 1_000));
    }

    private List<Alert> alerts() throws Exception {
        List<Alert> alerts = new ArrayList<>();
        for (OutboundRecord record : harness.extractOutputValues()) {
            alerts.add(codec.decode(record.value(), Alert.class));
        }
        return alerts;
    }

    private List<FigureResult> causes() throws Exception {
        List<FigureResult> causes = new ArrayList<>();
        for (var record : harness.getSideOutput(CauseFunction.RESULTS)) {
            causes.add(codec.decode(record.getValue().value(), FigureResult.class));
        }
        return causes;
    }

    private static KeyedTwoInputStreamOperatorTestHarness<String, SubjectMinute, OutboundRecord, OutboundRecord>
            harness() throws Exception {
        return new KeyedTwoInputStreamOperatorTestHarness<>(
                new KeyedCoProcessOperator<>(new CauseFunction(MetricCatalogue.shippedYaml())),
                minute -> CauseFunction.KEY,
                alert -> CauseFunction.KEY,
                Types.STRING);
    }
}
