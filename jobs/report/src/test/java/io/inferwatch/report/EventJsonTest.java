package io.inferwatch.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Evidence;
import io.inferwatch.schemas.MetricSketch;
import io.inferwatch.schemas.Severity;
import io.inferwatch.schemas.WindowStat;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EventJsonTest {
    private final EventJson json = new EventJson();
    private final EventCodec codec = new EventCodec();

    @Test
    void givesPlaceTimeKeyAndEventWithoutAbsentFields() {
        Alert alert = new Alert(
                "f",
                "Drift",
                AlertState.FIRING,
                Severity.PAGE,
                1L,
                2L,
                null,
                Map.of("model", "m"),
                "s",
                List.of(new Evidence("n", 1.5, null, "few")),
                List.of());

        assertThat(json.line(record(codec.encode(alert))))
                .isEqualTo("{\"topic\":\"inferwatch.alerts\",\"partition\":3,\"offset\":17,"
                        + "\"timestamp\":\"2023-11-14T22:13:20.001Z\",\"key\":\"k\",\"record\":\"Alert\",\"event\":"
                        + "{\"fingerprint\":\"f\",\"name\":\"Drift\",\"state\":\"FIRING\",\"severity\":\"PAGE\","
                        + "\"startsAtMicros\":1,\"changedAtMicros\":2,\"labels\":{\"model\":\"m\"},\"summary\":\"s\","
                        + "\"evidence\":[{\"name\":\"n\",\"value\":1.5,\"note\":\"few\"}],\"causes\":[]}}");
    }

    @Test
    void bytesAreBase64() {
        WindowStat window = new WindowStat(
                "fleet",
                "fleet",
                List.of(),
                60L,
                1L,
                0,
                1L,
                List.of(),
                List.of(new MetricSketch("ttft", ByteBuffer.wrap(new byte[] {1, 2, 3}))),
                List.of(),
                List.of());

        assertThat(json.line(record(codec.encode(window))))
                .contains("\"sketches\":[{\"metric\":\"ttft\",\"sketch\":\"AQID\"}]");
    }

    @Test
    void whatCannotBeDecodedIsShownWithItsReason() {
        assertThat(json.line(record(new byte[] {0, 0, 0, 0, 7, 1})))
                .contains(
                        "\"undecodable\":{\"reason\":\"not-single-object\",\"detail\":\"header: must be",
                        "Confluent framing")
                .endsWith("\"valueBytes\":6,\"value\":\"AAAAAAcB\"}}");
    }

    @Test
    void aGoneKeyIsAMark() {
        assertThat(json.line(record(null))).endsWith("\"key\":\"k\",\"tombstone\":true}");
    }

    private static ConsumerRecord<byte[], byte[]> record(byte @Nullable [] value) {
        return new ConsumerRecord<>(
                "inferwatch.alerts",
                3,
                17,
                1_700_000_000_001L,
                TimestampType.CREATE_TIME,
                1,
                value == null ? -1 : value.length,
                "k".getBytes(StandardCharsets.UTF_8),
                value,
                new RecordHeaders(),
                Optional.empty());
    }
}
