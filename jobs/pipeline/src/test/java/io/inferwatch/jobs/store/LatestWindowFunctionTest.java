package io.inferwatch.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.DeadLetter;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LatestWindowFunctionTest {
    private static final long MINUTE = WindowFixture.MINUTE_MICROS;
    private static final long END = 1_700_000_040_000_000L;

    private KeyedOneInputStreamOperatorTestHarness<String, InboundRecord, StoredPoint> harness = harness();
    private long offset;

    @BeforeEach
    void open() throws Exception {
        harness.open();
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void aRevisionPassesOnlyWhenItHasAtLeastTheRequestsOfTheOneBefore() throws Exception {
        process(fleet(END).requests(5).revision(0));
        process(fleet(END).requests(7).revision(1));
        process(fleet(END).requests(5).revision(0));
        process(fleet(END).requests(7).revision(0));
        process(fleet(END).requests(7).revision(2));

        assertThat(requestsAndRevisions()).containsExactly("5/0", "7/1", "7/2");
    }

    @Test
    void windowsOfOtherEndsLengthsAndSeriesAreOthers() throws Exception {
        process(fleet(END).requests(9));
        process(fleet(END + MINUTE).requests(3));
        process(new WindowFixture("fleet", 60 * MINUTE, END).requests(2));
        process(new WindowFixture("node", MINUTE, END).dimension("node", "n").requests(1));

        assertThat(requestsAndRevisions()).containsExactly("9/0", "3/0", "2/0", "1/0");
    }

    @Test
    void aRestoredJobKnowsWhatItHasWritten() throws Exception {
        process(fleet(END).requests(7).revision(1));
        OperatorSubtaskState state = harness.snapshot(1, 1);
        harness.close();

        harness = harness();
        harness.initializeState(state);
        harness.open();
        process(fleet(END).requests(5).revision(0));
        process(fleet(END).requests(8).revision(2));

        assertThat(requestsAndRevisions()).containsExactly("8/2");
    }

    @Test
    void stateIsGoneOnceNoRevisionCanCome() throws Exception {
        process(fleet(END).requests(7));
        process(fleet(END + MINUTE).requests(7));
        assertThat(harness.numKeyedStateEntries()).isEqualTo(1);

        long keep = LatestWindowFunction.KEEP_MINUTES * 60_000L;
        harness.processWatermark(END / 1000 + keep - 1);
        process(fleet(END).requests(6));
        assertThat(requestsAndRevisions()).as("still known").containsExactly("7/0", "7/0");

        harness.processWatermark(END / 1000 + keep + 11 * 60_000);
        assertThat(harness.numKeyedStateEntries()).isZero();
        assertThat(harness.numEventTimeTimers()).isZero();
    }

    @Test
    void whatCannotBeStoredIsADeadLetterWithItsPlaceAndReason() throws Exception {
        harness.processElement(
                new InboundRecord("inferwatch.windows", 3, 17, 5, new byte[] {'k'}, new byte[] {0, 0, 0, 0, 1, 2}), 0);
        process(new WindowFixture("flet", MINUTE, END).requests(1));
        InboundRecord misplaced = fleet(END).requests(1).record(9);
        harness.processElement(
                new InboundRecord(
                        misplaced.topic(), 0, 9, 5, "node/x".getBytes(StandardCharsets.UTF_8), misplaced.value()),
                0);

        List<DeadLetter> letters = new ArrayList<>();
        for (StreamRecord<OutboundRecord> record : harness.getSideOutput(PointsFunction.DEAD_LETTERS)) {
            letters.add(new EventCodec().decode(record.getValue().value(), DeadLetter.class));
        }
        assertThat(harness.extractOutputValues()).isEmpty();
        assertThat(letters)
                .extracting(DeadLetter::getReason)
                .containsExactly("not-single-object", "unknown-view", "key-differs");
        DeadLetter first = letters.get(0);
        assertThat(first.getTopic()).isEqualTo("inferwatch.windows");
        assertThat(first.getPartition()).isEqualTo(3);
        assertThat(first.getOffset()).isEqualTo(17);
        assertThat(first.getStage()).isEqualTo("store");
        assertThat(first.getDetail()).contains("Confluent framing");
        assertThat(first.getValueBytes()).isEqualTo(6);
        assertThat(letters.get(2).getDetail()).isEqualTo("key: must be the series 'fleet', found 'node/x'");
    }

    private void process(WindowFixture window) throws Exception {
        InboundRecord record = window.record(offset++);
        harness.processElement(record, record.timestampMillis());
    }

    private static WindowFixture fleet(long end) {
        return new WindowFixture("fleet", MINUTE, end);
    }

    private List<String> requestsAndRevisions() {
        return harness.extractOutputValues().stream()
                .map(point -> point.requests() + "/" + point.revision())
                .toList();
    }

    private static KeyedOneInputStreamOperatorTestHarness<String, InboundRecord, StoredPoint> harness() {
        try {
            return new KeyedOneInputStreamOperatorTestHarness<>(
                    new KeyedProcessOperator<>(new LatestWindowFunction(MetricCatalogue.shippedYaml())),
                    LatestWindowFunction::series,
                    Types.STRING);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
