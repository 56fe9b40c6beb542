package io.inferwatch.jobs.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.inferwatch.influx.Measurement;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.UndecodableEventException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.apache.avro.specific.SpecificRecord;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Minutes of a fleet of four replicas, each with a series of requests and one of its engine, from how they stand to alerts. */
class FindingFunctionTest {
    private static final long MINUTE = GroupWindows.MINUTE_MICROS;
    private static final long START =
            1_000 * Instant.parse("2026-01-05T00:00:00Z").toEpochMilli();
    private static final int REPLICAS = 4;

    private final EventCodec codec = new EventCodec();
    private KeyedOneInputStreamOperatorTestHarness<String, Looked, OutboundRecord> harness;
    private boolean isPromoted = true;
    private int minute;

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
    void aReplicaWhoseStatisticsAreAllAnomalousIsOneFindingAndOneAlert() throws Exception {
        look("r1");
        assertThat(findings()).as("told for one minute").isEmpty();
        look("r1", "r1 engine");
        look("r1", "r1 engine");

        assertThat(findings()).singleElement().satisfies(finding -> {
            assertThat(finding.getDimensions()).containsExactly(new Dimension("finding", "replica=r1"));
            assertThat(finding.getTexts()).containsEntry("state", "OPEN").containsEntry("labels", "replica=r1");
            assertThat(finding.getTexts().get("summary"))
                    .startsWith(
                            "replica r1 (2 of its 2 series) is not as usual: e2e.p50 of r1 is 2.000, expected 0.9000 to"
                                    + " 1.100 (JUMP), and 2 statistics more");
            assertThat(finding.getCounts())
                    .containsEntry("anomalous", 2L)
                    .containsEntry("series", 2L)
                    .containsEntry("promoted", 1L)
                    .containsEntry("starts_at_micros", START);
        });
        assertThat(alerts()).singleElement().satisfies(alert -> {
            assertThat(alert.getFingerprint()).isEqualTo("anomaly:replica=r1");
            assertThat(alert.getState()).isEqualTo(AlertState.FIRING);
            assertThat(alert.getStartsAtMicros()).isEqualTo(START);
            assertThat(alert.getChangedAtMicros()).isEqualTo(START + 2 * MINUTE);
            assertThat(alert.getLabels()).containsOnlyKeys("replica").containsEntry("replica", "r1");
            assertThat(alert.getEvidence()).hasSize(3).first().satisfies(evidence -> {
                assertThat(evidence.getName()).isEqualTo("e2e.p50 of r1, seconds");
                assertThat(evidence.getValue()).isEqualTo(2);
                assertThat(evidence.getBaseline()).isEqualTo(1.1);
            });
        });

        recover("r1", "r1 engine");
        assertThat(states()).containsExactly("replica=r1 OPEN", "replica=r1 RESOLVED");
        assertThat(alerts())
                .extracting(Alert::getFingerprint, Alert::getState, Alert::getStartsAtMicros, Alert::getEndsAtMicros)
                .containsExactly(
                        tuple("anomaly:replica=r1", AlertState.FIRING, START, null),
                        tuple("anomaly:replica=r1", AlertState.RESOLVED, START, START + 4 * MINUTE));
    }

    @Test
    void aShiftOfTheFleetIsOneFindingAlsoOnItsWayBack() throws Exception {
        look("r0", "r1", "r2", "r3");
        look("r0", "r1", "r2", "r3");
        assertThat(states()).containsExactly("view=replica-version OPEN");
        assertThat(alerts()).singleElement().satisfies(alert -> assertThat(alert.getSummary())
                .startsWith("view replica-version (4 of its 4 series) is not as usual"));
        // Two of four are no scope any more, and yet no news.
        lookAndRecover(List.of("r0", "r1"), List.of("r2", "r3"));
        lookAndRecover(List.of("r1"), List.of("r0"));
        assertThat(states()).hasSize(1);
        recover("r1");
        assertThat(states()).containsExactly("view=replica-version OPEN", "view=replica-version RESOLVED");
        assertThat(alerts()).extracting(Alert::getState).containsExactly(AlertState.FIRING, AlertState.RESOLVED);
    }

    @Test
    void whatTurnsOutToBeWiderKeepsItsNameAndTakesInOthers() throws Exception {
        look("r1");
        look("r1");
        look("r1", "r2 engine");
        look("r1", "r2 engine");
        assertThat(states())
                .containsExactly(
                        "replica=r1,version=v1,view=replica-version OPEN",
                        "model=m,replica=r2,version=v1,view=engine-replica OPEN");
        String[] all = {"r0", "r0 engine", "r1", "r1 engine", "r2", "r2 engine", "r3", "r3 engine"};
        look(all);
        assertThat(states().subList(2, 4))
                .containsExactlyInAnyOrder(
                        "model=m,replica=r2,version=v1,view=engine-replica OPEN",
                        "replica=r1,version=v1,view=replica-version MERGED");
        assertThat(findings()).anySatisfy(finding -> assertThat(finding.getTexts())
                .containsEntry("labels", "")
                .hasEntrySatisfying(
                        "summary", summary -> assertThat(summary).startsWith("the whole fleet (8 of its 8")));
        look(all);
        assertThat(states()).as("nothing new").hasSize(4);
    }

    @Test
    void inShadowThereIsAFindingAndNoAlertUntilItIsPromoted() throws Exception {
        isPromoted = false;
        look("r1");
        look("r1");
        assertThat(findings()).singleElement().satisfies(finding -> assertThat(finding.getCounts())
                .containsEntry("promoted", 0L));
        assertThat(alerts()).isEmpty();
        isPromoted = true;
        look("r1");
        assertThat(alerts()).extracting(Alert::getState).containsExactly(AlertState.FIRING);
        assertThat(findings()).hasSize(2);
        assertThat(findings().get(1).getCounts()).containsEntry("promoted", 1L);
    }

    @Test
    void whatIsNotHeardOfExpires() throws Exception {
        look("r1");
        look("r1");
        harness.processWatermark(millis(minute + 9));
        assertThat(alerts()).hasSize(1);
        harness.processWatermark(millis(minute + 10));
        assertThat(alerts()).extracting(Alert::getState).containsExactly(AlertState.FIRING, AlertState.EXPIRED);
        assertThat(states()).endsWith("replica=r1,version=v1,view=replica-version EXPIRED");
    }

    @Test
    void theEndOfTheInputIsNoSilence() throws Exception {
        look("r1");
        look("r1");
        harness.processWatermark(Long.MAX_VALUE);
        assertThat(states()).hasSize(1);
    }

    @Test
    void minutesThatOvertakeEachOtherAreTakenInTheirOrder() throws Exception {
        Looked first = looked(1, List.of("r1"), List.of());
        Looked second = looked(2, List.of("r1"), List.of());
        Looked third = looked(3, List.of(), List.of("r1"));
        for (Looked one : List.of(third, second, first)) {
            harness.processElement(new StreamRecord<>(one));
        }
        harness.processWatermark(millis(3));
        assertThat(states())
                .containsExactly(
                        "replica=r1,version=v1,view=replica-version OPEN",
                        "replica=r1,version=v1,view=replica-version RESOLVED");
    }

    @Test
    void aRestoredTaskGoesOnWhereItWas() throws Exception {
        look("r1");
        look("r1", "r1 engine");
        var state = harness.snapshot(1, 1);
        harness.close();
        harness = harness();
        harness.initializeState(state);
        harness.open();
        look("r1", "r1 engine");
        recover("r1", "r1 engine");
        assertThat(states()).containsExactly("replica=r1 RESOLVED");
        assertThat(alerts()).singleElement().satisfies(alert -> assertThat(alert.getStartsAtMicros())
                .isEqualTo(START));
    }

    /** The next minute, in which these are anomalous. */
    private void look(String... anomalous) throws Exception {
        lookAndRecover(Arrays.asList(anomalous), List.of());
    }

    private void recover(String... recovered) throws Exception {
        lookAndRecover(List.of(), Arrays.asList(recovered));
    }

    private void lookAndRecover(List<String> anomalous, List<String> recovered) throws Exception {
        minute++;
        harness.processElement(new StreamRecord<>(looked(minute, anomalous, recovered)));
        harness.processWatermark(millis(minute));
    }

    /** Of a series of requests three statistics stand, two of which are anomalous with it; of an engine's one. */
    private Looked looked(int at, List<String> anomalous, List<String> recovered) {
        List<Standing> standings = new ArrayList<>();
        for (int i = 0; i < REPLICAS; i++) {
            String replica = "r" + i;
            String engine = replica + " engine";
            boolean isOut = anomalous.contains(replica);
            standings.add(standing(replica, null, "ttft", at, isOut, recovered.contains(replica)));
            standings.add(standing(replica, null, "e2e", at, isOut, recovered.contains(replica)));
            standings.add(standing(replica, null, "tpot", at, false, false));
            standings.add(standing(replica, "m", "kv_use", at, anomalous.contains(engine), recovered.contains(engine)));
        }
        return new Looked(millis(at), Look.at(standings).toBytes());
    }

    private Standing standing(
            String replica, @Nullable String model, String metric, int at, boolean isOut, boolean isRecovered) {
        String view = model == null ? "replica-version" : "engine-replica";
        TreeMap<String, String> labels = new TreeMap<>();
        labels.put("view", view);
        labels.put("replica", replica);
        labels.put("version", "v1");
        if (model != null) {
            labels.put("model", model);
        }
        FigureBuilder result = new FigureBuilder(
                        Measurement.ANOMALY,
                        view,
                        List.of(
                                new Dimension("replica", replica),
                                new Dimension("metric", metric),
                                new Dimension("statistic", "p50")),
                        MINUTE,
                        START + at * MINUTE)
                .value("observed", 2)
                .value("expected_low", 0.9)
                .value("expected_high", 1.1)
                .value("score", metric.equals("e2e") ? 0.9 : 0.5)
                .text("channel", "JUMP")
                .text("unit", "seconds")
                .count("told", 1);
        return new Standing(
                view + '/' + replica,
                metric + ".p50",
                Standing.text(labels),
                millis(at),
                isOut,
                isRecovered,
                isOut,
                isOut && at > 1,
                isPromoted,
                isOut ? codec.encode(result.build()) : Standing.NOTHING);
    }

    private static long millis(int minutes) {
        return (START + minutes * MINUTE) / 1_000;
    }

    private List<FigureResult> findings() {
        return harness.extractOutputValues().stream()
                .map(record -> decode(record, FigureResult.class))
                .toList();
    }

    private List<String> states() {
        return findings().stream()
                .map(finding -> finding.getDimensions().get(0).getValue()
                        + ' '
                        + finding.getTexts().get("state"))
                .toList();
    }

    private List<Alert> alerts() {
        List<Alert> alerts = new ArrayList<>();
        var output = harness.getSideOutput(FindingFunction.ALERTS);
        if (output != null) {
            output.forEach(record -> alerts.add(decode(record.getValue(), Alert.class)));
        }
        return alerts;
    }

    private <T extends SpecificRecord> T decode(OutboundRecord record, Class<T> type) {
        try {
            return codec.decode(record.value(), type);
        } catch (UndecodableEventException e) {
            throw new AssertionError(e);
        }
    }

    private static KeyedOneInputStreamOperatorTestHarness<String, Looked, OutboundRecord> harness() throws Exception {
        return new KeyedOneInputStreamOperatorTestHarness<>(
                new KeyedProcessOperator<>(new FindingFunction()), looked -> "fleet", Types.STRING);
    }
}
