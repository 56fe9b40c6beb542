package io.inferwatch.jobs.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.schemas.DeadLetter;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Traffic;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.apache.avro.specific.SpecificRecord;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.ProcessOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ScreenFunctionTest {
    private static final long NOON = Instant.parse("2026-01-01T12:00:00Z").toEpochMilli();

    private final Rows rows = new Rows(MetricCatalogue.shipped());
    private final EventTime.Clock clock = new EventTime.Clock(EventLayout.of(MetricCatalogue.shipped()));
    private ScreenFunction screen;
    private OneInputStreamOperatorTestHarness<RequestRow, RequestRow> harness;

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
    void aRepeatIsDroppedAlsoAfterARestore() throws Exception {
        send(Rows.request("s", 0, NOON).build(), NOON);
        send(Rows.request("s", 0, NOON).build(), NOON);
        assertThat(passed()).isEqualTo(1);
        OperatorSubtaskState state = harness.snapshot(1, 1);
        harness.close();

        harness = harness();
        harness.initializeState(state);
        harness.open();
        send(Rows.request("s", 0, NOON).build(), NOON);
        assertThat(passed()).isZero();
        send(Rows.request("s", 1, NOON).build(), NOON);
        assertThat(passed()).isEqualTo(1);
    }

    @Test
    void nodesWhoseClocksAreNinetySecondsApartBothCountAndHoursLateGoesToTheLateTopic() throws Exception {
        send(Rows.request("a", 0, NOON).build(), NOON);
        harness.processWatermark(NOON - 5_000);
        send(Rows.request("b", 0, NOON - 90_000).build(), NOON);
        assertThat(passed()).isEqualTo(2);

        RequestEvent hoursLate =
                Rows.request("c", 0, NOON - Duration.ofHours(3).toMillis()).build();
        send(hoursLate, NOON);
        assertThat(passed()).isEqualTo(2);
        assertThat(side(ScreenFunction.LATE)).singleElement().satisfies(late -> assertThat(
                        new EventCodec().decode(late.value(), RequestEvent.class))
                .isEqualTo(hoursLate));
    }

    @Test
    void latenessCountsFromTheEndOfThePane() throws Exception {
        long lateness = Duration.ofMinutes(10).toMillis();
        harness.processWatermark(NOON + lateness - 1);
        send(Rows.request("s", 0, NOON - 1).build(), NOON + lateness);
        assertThat(passed())
                .as("the watermark has not passed the pane's end and ten minutes")
                .isEqualTo(1);
        harness.processWatermark(NOON + lateness);
        send(Rows.request("s", 1, NOON - 1).build(), NOON + lateness);
        assertThat(passed()).isEqualTo(1);
        assertThat(side(ScreenFunction.LATE)).hasSize(1);
    }

    @Test
    void aHostWhoseClockIsOffInThreeHeartbeatsRunningIsFlaggedUntilItIsRight() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(screen.skewedHosts()).isEmpty();
            send(beat("node-b", NOON + i - 90_000), NOON + i);
            send(beat("node-a", NOON + i - 300), NOON + i);
        }
        assertThat(screen.skewedHosts()).containsExactly("node-b");
        send(beat("node-b", NOON + 10), NOON + 10);
        assertThat(screen.skewedHosts()).isEmpty();
    }

    @Test
    void nonsenseIsADeadLetterThatNamesTheFieldTheValueAndTheRule() throws Exception {
        send(Rows.request("s", 0, NOON).setOutputTokens(-1L).build(), NOON);
        send(Rows.request("s", 1, NOON).setE2eMicros(2_000_000_000_000_000L).build(), NOON);
        send(Rows.request("s", 2, NOON + 301_000).build(), NOON);
        send(Rows.request("s", 3, NOON).setSampleWeight(0).build(), NOON);
        send(Rows.request("s", 4, NOON).setTraffic(Traffic.UNKNOWN).build(), NOON);
        send(
                Rows.request("s", 5, NOON)
                        .setItlSketch(ByteBuffer.wrap(new byte[] {9, 9, 9}))
                        .build(),
                NOON);
        send(Rows.request("s", 6, -5).build(), NOON);
        send(Rows.request("s", -7, NOON).build(), NOON);

        assertThat(passed()).isZero();
        List<String> reasons = new ArrayList<>();
        List<String> details = new ArrayList<>();
        for (OutboundRecord record : side(ScreenFunction.DEAD_LETTERS)) {
            DeadLetter letter = new EventCodec().decode(record.value(), DeadLetter.class);
            reasons.add(letter.getReason());
            details.add(letter.getDetail());
        }
        assertThat(reasons)
                .containsExactly(
                        "negative-value",
                        "implausible-value",
                        "future",
                        "implausible-value",
                        "unknown-traffic",
                        "invalid-sketch",
                        "implausible-value",
                        "negative-value");
        assertThat(details.get(0)).isEqualTo("outputTokens: must be at least 0, found -1");
        assertThat(details.get(1)).isEqualTo("e2eMicros: must be at most 1000000000000000, found 2000000000000000");
        assertThat(details.get(2)).startsWith("completedAtMicros: must be at most 5 min after the broker's");
        assertThat(details.get(3)).isEqualTo("sampleWeight: must be at least 1, found 0");
        assertThat(details.get(7)).isEqualTo("sequence: must be at least 0, found -7");
    }

    @Test
    void fiveMinutesAheadIsTakenAndCappedAtTheBrokersTime() throws Exception {
        RequestRow row = rows.of(Rows.request("s", 0, NOON + 299_000).build(), NOON);
        assertThat(clock.extractTimestamp(row, NOON)).isEqualTo(NOON);
        assertThat(clock.isTimed(row)).isTrue();
    }

    @Test
    void aTimeInMicrosecondsTakenForMillisecondsDoesNotMoveTheWatermark() {
        // Epoch microseconds written where milliseconds were meant: the year 57613.
        RequestRow row = rows.of(Rows.request("s", 0, 1_755_933_141_855_875L).build(), NOON);
        assertThat(clock.isTimed(row)).isFalse();
    }

    @Test
    void aDeadLetterKeepsTheFirst64KilobytesAndTheLength() throws Exception {
        byte[] large = new byte[100_000];
        harness.processElement(new StreamRecord<>(rows.of(large, NOON), NOON));
        DeadLetter letter =
                new EventCodec().decode(side(ScreenFunction.DEAD_LETTERS).get(0).value(), DeadLetter.class);
        assertThat(letter.getValue().remaining()).isEqualTo(65_536);
        assertThat(letter.getValueBytes()).isEqualTo(100_000);
        assertThat(letter.getReason()).isEqualTo("not-single-object");
    }

    private static Heartbeat beat(String node, long emittedAtMillis) {
        return Rows.heartbeat("s-" + node, 0, emittedAtMillis).setNode(node).build();
    }

    private OneInputStreamOperatorTestHarness<RequestRow, RequestRow> harness() throws Exception {
        screen = new ScreenFunction(MetricCatalogue.shippedYaml(), Duration.ofMinutes(10));
        return new OneInputStreamOperatorTestHarness<>(new ProcessOperator<>(screen));
    }

    private void send(SpecificRecord event, long appendedAtMillis) throws Exception {
        RequestRow row = rows.of(event, appendedAtMillis);
        harness.processElement(new StreamRecord<>(row, clock.extractTimestamp(row, appendedAtMillis)));
    }

    private long passed() {
        return harness.getOutput().stream()
                .filter(o -> o instanceof StreamRecord)
                .count();
    }

    private List<OutboundRecord> side(OutputTag<OutboundRecord> tag) {
        Queue<StreamRecord<OutboundRecord>> records = harness.getSideOutput(tag);
        return records == null
                ? List.of()
                : records.stream().map(StreamRecord::getValue).toList();
    }
}
