package io.inferwatch.jobs.alert;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.EventCodec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

class WatchdogOperatorTest {
    @Test
    @SuppressWarnings("try") // The harness's close() may be interrupted, like any test.
    void itIsToldEachHalfMinuteAsTheSameAlert() throws Exception {
        try (OneInputStreamOperatorTestHarness<OutboundRecord, OutboundRecord> harness =
                new OneInputStreamOperatorTestHarness<>(new WatchdogOperator())) {
            harness.setProcessingTime(1_000_000);
            harness.open();
            harness.processElement(new OutboundRecord(new byte[] {1}, new byte[] {2}, 3), 3);
            harness.setProcessingTime(1_000_001);
            harness.processWatermark(990_000);
            harness.setProcessingTime(1_030_001);
            harness.setProcessingTime(1_060_001);

            List<OutboundRecord> told = harness.extractOutputValues();
            assertThat(told).hasSize(3).allSatisfy(record -> assertThat(record.key())
                    .asString(StandardCharsets.UTF_8)
                    .isEqualTo("InferwatchWatchdog"));
            Alert last = new EventCodec().decode(told.get(2).value(), Alert.class);
            assertThat(last.getName()).isEqualTo("InferwatchWatchdog");
            assertThat(last.getState()).isEqualTo(AlertState.FIRING);
            assertThat(last.getStartsAtMicros()).isEqualTo(1_000_000_000L);
            assertThat(last.getChangedAtMicros()).isEqualTo(1_060_001_000L);
            assertThat(last.getEvidence()).singleElement().satisfies(lag -> assertThat(lag.getValue())
                    .isEqualTo(70.001));
        }
    }
}
