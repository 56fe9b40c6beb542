package io.inferwatch.jobs.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.jobs.window.Samples;
import io.inferwatch.schemas.EngineHistogram;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Granularity;
import io.inferwatch.schemas.KernelProfile;
import io.inferwatch.schemas.OperatorMetric;
import io.inferwatch.schemas.Profiler;
import io.inferwatch.schemas.Severity;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;
import org.apache.flink.api.common.functions.util.ListCollector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What would break the windows must come out as faulty here: behind it a sample is taken for sound. */
class SampleDeserializerTest {
    private static final long NOW = 1_800_000_000_000L;

    private final EventCodec codec = new EventCodec();
    private final SampleDeserializer deserializer = new SampleDeserializer(MetricCatalogue.shippedYaml());

    @BeforeEach
    void open() {
        deserializer.open(null);
    }

    @Test
    void aSoundSampleIsKnownByTopicAndKey() {
        Sample sample = read(Samples.engine("r", 0, NOW).setRunningRequests(3L).build());
        assertThat(sample.isFaulty()).isFalse();
        assertThat(sample.subject()).isEqualTo("inferwatch.engine/r");
        assertThat(sample.atMicros()).isEqualTo(NOW * 1_000);
    }

    @Test
    void anEventTimeAheadOfTheBrokerIsCappedAndOneFarAheadIsFaulty() {
        assertThat(read(Samples.engine("r", 0, NOW + 60_000).build()).atMillis())
                .isEqualTo(NOW);
        assertFaulty(
                Samples.engine("r", 0, NOW + 300_001).build(), "future", "event time: must be at most 5 min after");
        assertFaulty(Samples.engine("r", 0, 0).build(), "implausible-value", "event time: must be after 1970, found 0");
    }

    @Test
    void whatIsNoSampleIsFaulty() {
        assertThat(read((byte[]) null).faultReason()).isEqualTo("tombstone");
        assertThat(read("{}".getBytes(StandardCharsets.UTF_8)).faultReason()).isEqualTo("not-single-object");
        SpecificRecord alert = new io.inferwatch.schemas.Alert(
                "f",
                "n",
                io.inferwatch.schemas.AlertState.FIRING,
                Severity.PAGE,
                1L,
                1L,
                null,
                java.util.Map.of(),
                "s",
                List.of(),
                List.of());
        assertFaulty(
                alert,
                "unexpected-record",
                "record: must be a sample of an engine, GPU, kernel or operator, found Alert");
    }

    @Test
    void numbersThatCannotBeAreFaulty() {
        assertFaulty(
                Samples.engine("r", 0, NOW).setRunningRequests(-1L).build(),
                "negative-value",
                "runningRequests: must be at least 0, found -1");
        assertFaulty(
                Samples.engine("r", 0, NOW)
                        .setWeightBytes(1_000_000_000_000_001L)
                        .build(),
                "implausible-value",
                "weightBytes: must be at most 1000000000000000");
        assertThat(read(Samples.engine("r", 0, NOW)
                                .setReadBytesTotal(1_000_000_000_000_001L)
                                .build())
                        .isFaulty())
                .as("a total of bytes")
                .isFalse();
        assertThat(read(Samples.gpu("g", 0, NOW).setTemperatureCelsius(-5L).build())
                        .isFaulty())
                .as("cold")
                .isFalse();
    }

    @Test
    void aSketchThatIsNoneIsFaulty() {
        KernelProfile profile = KernelProfile.newBuilder()
                .setStream("s")
                .setSequence(0)
                .setProfiledAtMicros(NOW * 1_000)
                .setReplica("r")
                .setProfiler(Profiler.KINETO)
                .setProfile("p")
                .setKernel("k")
                .setCalls(1)
                .setDurationSketch(ByteBuffer.wrap(new byte[] {9}))
                .build();
        assertFaulty(profile, "invalid-sketch", "durationSketch: sketch version: must be 1, found 9");
    }

    @Test
    void aHistogramWhoseCountsDoNotFitItsBoundsIsFaulty() {
        List<EngineHistogram> broken = List.of(
                Samples.ttft(List.of(1L, 2L), List.of(1L, 1L), 3),
                Samples.ttft(List.of(2L, 1L), List.of(1L, 1L, 1L), 3),
                Samples.ttft(List.of(1L), List.of(1L, -1L), 3));
        for (EngineHistogram histogram : broken) {
            assertFaulty(
                    Samples.engine("r", 0, NOW)
                            .setHistograms(List.of(histogram))
                            .build(),
                    "invalid-histogram",
                    "histograms: ttft: must have rising bounds and one total from 0 on more than these, found");
        }
    }

    @Test
    void operatorsReportWhatTheCatalogueHas() {
        assertThat(read(operator("expert_utilization_ratio", 0.5)).isFaulty()).isFalse();
        assertFaulty(
                operator("expert_utilisation", 0.5),
                "unknown-metric",
                "name: must be one that the metric catalogue has");
        assertFaulty(
                operator("expert_utilization_ratio", Double.NaN),
                "implausible-value",
                "expert_utilization_ratio: must be");
        assertFaulty(operator("sm_efficiency_pct", -1), "negative-value", "sm_efficiency_pct: must be at least 0");
    }

    private static OperatorMetric operator(String name, double value) {
        return OperatorMetric.newBuilder()
                .setStream("s")
                .setSequence(0)
                .setMeasuredAtMicros(NOW * 1_000)
                .setReplica("r")
                .setName(name)
                .setValue(value)
                .setGranularity(Granularity.LAYER)
                .build();
    }

    private void assertFaulty(SpecificRecord event, String reason, String detail) {
        Sample sample = read(event);
        assertThat(sample.faultReason()).isEqualTo(reason);
        assertThat(sample.faultDetail()).startsWith(detail);
    }

    private Sample read(SpecificRecord event) {
        return read(codec.encode(event));
    }

    private Sample read(byte @Nullable [] value) {
        List<Sample> out = new ArrayList<>();
        deserializer.deserialize(
                new ConsumerRecord<>(
                        "inferwatch.engine",
                        0,
                        7,
                        NOW,
                        TimestampType.LOG_APPEND_TIME,
                        1,
                        1,
                        "r".getBytes(StandardCharsets.UTF_8),
                        value,
                        new RecordHeaders(),
                        java.util.Optional.empty()),
                new ListCollector<>(out));
        return out.get(0);
    }
}
