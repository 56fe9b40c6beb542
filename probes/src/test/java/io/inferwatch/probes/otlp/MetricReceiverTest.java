package io.inferwatch.probes.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.probes.EventList;
import io.inferwatch.probes.engine.PushedMetrics;
import io.inferwatch.probes.engine.mapping.MappingTable;
import io.inferwatch.schemas.EngineHistogram;
import io.inferwatch.schemas.EngineSample;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogram;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Histogram;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.Sum;
import io.opentelemetry.proto.metrics.v1.Summary;
import io.opentelemetry.proto.metrics.v1.SummaryDataPoint;
import io.opentelemetry.proto.resource.v1.Resource;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MetricReceiverTest {
    private static final AggregationTemporality DELTA = AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA;
    private static final AggregationTemporality CUMULATIVE = AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE;
    private static final String TTFT = "gen_ai.server.time_to_first_token";

    private long second = 990;
    private EventList published = new EventList();
    private MetricReceiver receiver = receiver();

    private MetricReceiver receiver() {
        return new MetricReceiver(
                new SpanReplicas(List.of(), new Tally<>(Oddity.class))::of,
                new PushedMetrics(MappingTable.builtIn(), published, sample -> {}),
                InstantSource.fixed(Instant.ofEpochSecond(5_000)));
    }

    @Test
    void cumulativeAndDeltaHistogramsAreTheSame() {
        for (AggregationTemporality temporality : List.of(CUMULATIVE, DELTA)) {
            boolean isDelta = temporality == DELTA;
            published = new EventList();
            receiver = receiver();
            String name = isDelta ? TTFT : "gen_ai.server.request.duration";
            post(histogram(name, "s", temporality, 1, List.of(0.1, 0.5), List.of(5L, 1L, 0L), 0.5));
            EngineSample second = post(histogram(
                    name,
                    "s",
                    temporality,
                    1,
                    List.of(0.1, 0.5),
                    isDelta ? List.of(2L, 3L, 1L) : List.of(7L, 4L, 1L),
                    isDelta ? 2.5 : 3.0));
            assertThat(only(second, isDelta ? "ttft" : "e2e").getTotals()).containsExactly(2L, 3L, 1L);
            assertThat(only(second, isDelta ? "ttft" : "e2e").getSumTotalMicros())
                    .isEqualTo(2_500_000);
            assertThat(second.getSampledAtMicros()).isEqualTo(this.second * 1_000_000);
            assertThat(second.getModel()).isEqualTo("llama");
        }
    }

    @Test
    void millisecondsAreSecondsWhereTheSenderSaysSo() {
        post(histogram(TTFT, "ms", CUMULATIVE, 1, List.of(100.0, 500.0), List.of(0L, 0L, 0L), 0));
        EngineHistogram histogram = only(
                post(histogram(TTFT, "ms", CUMULATIVE, 1, List.of(100.0, 500.0), List.of(1L, 0L, 0L), 50)), "ttft");
        assertThat(histogram.getBoundsMicros()).containsExactly(100_000L, 500_000L);
        assertThat(histogram.getSumTotalMicros()).isEqualTo(50_000);
    }

    /** Scale 4 has 16 buckets for an octave: two of them are one of ours. Values are put in by hand: 1 s is the upper bound of index -1. */
    @Test
    void anExponentialHistogramKeepsItsCountsInBucketsThatNeverChange() {
        post(exponential(4, 0, List.of(0L), 0));
        // Indexes -2 and -1 end at 2^(-1/16) and 1: both within (2^(-1/8), 1]. Index 0 ends at 2^(1/16), within (1,
        // 2^(1/8)].
        EngineHistogram fine = only(post(exponential(4, -2, List.of(3L, 4L, 5L), 2)), "ttft");
        assertThat(at(fine, 1_000_000)).isEqualTo(7);
        assertThat(at(fine, Math.round(1e6 * Math.pow(2, 1 / 8.0)))).isEqualTo(5);
        assertThat(fine.getTotals().get(0)).as("zeros").isEqualTo(2);
        // Scale 0: index 0 is (1, 2]; what is coarser than our buckets counts at its upper bound.
        EngineHistogram coarse = only(post(exponential(0, 0, List.of(6L), 0)), "ttft");
        assertThat(at(coarse, 2_000_000)).isEqualTo(6);
        assertThat(coarse.getBoundsMicros()).isEqualTo(fine.getBoundsMicros());
        EngineHistogram huge = only(post(exponential(0, 15, List.of(9L), 0)), "ttft");
        assertThat(huge.getTotals().get(huge.getTotals().size() - 1)).isEqualTo(9);
        assertThat(huge.getTotals().stream().mapToLong(Long::longValue).sum()).isEqualTo(12 + 2 + 6 + 9);
    }

    @Test
    void countersAreFoundWithoutTheirSuffixAndTheirStartTellsARestart() {
        post(counter("vllm:prompt_tokens", CUMULATIVE, 900, 100));
        EngineSample next = post(counter("vllm:prompt_tokens", CUMULATIVE, 900, 130));
        assertThat(next.getPromptTokensTotal()).isEqualTo(30);
        EngineSample restarted = post(counter("vllm:prompt_tokens", CUMULATIVE, 1_015, 140));
        assertThat(restarted.getPromptTokensTotal()).isEqualTo(30 + 140);
        assertThat(restarted.getMarks()).containsExactly("counter-reset");
        assertThat(restarted.getEngine()).isEqualTo("vllm");
        assertThat(restarted.getReplica()).isEqualTo("chat-0");
    }

    @Test
    void gaugesAreTaken() {
        EngineSample sample = post(Metric.newBuilder()
                .setName("sglang:num_queue_reqs")
                .setGauge(Gauge.newBuilder()
                        .addDataPoints(NumberDataPoint.newBuilder().setAsInt(4)))
                .build());
        assertThat(sample.getWaitingRequests()).isEqualTo(4);
        assertThat(sample.getSampledAtMicros())
                .as("without a time of its own: now")
                .isEqualTo(5_000_000_000L);
    }

    @Test
    void whatIsUnknownIsCountedAndWhatCannotBeTakenIsRefused() {
        Refused refused = receiver.receive(batch(
                counter("http.server.requests", CUMULATIVE, 1, 5),
                Metric.newBuilder()
                        .setName("gen_ai.server.time_to_first_token")
                        .setSummary(Summary.newBuilder().addDataPoints(SummaryDataPoint.getDefaultInstance()))
                        .build()));
        assertThat(refused.items()).isEqualTo(1);
        assertThat(receiver.fates())
                .isEqualTo(Map.of(
                        PointFate.TAKEN, 0L, PointFate.UNKNOWN, 1L, PointFate.UNSUPPORTED, 1L, PointFate.TOO_MANY, 0L));
        assertThat(published.all(EngineSample.class)).isEmpty();
    }

    private EngineSample post(Metric metric) {
        assertThat(receiver.receive(batch(metric)).items()).isZero();
        List<EngineSample> samples = published.all(EngineSample.class);
        return samples.get(samples.size() - 1);
    }

    private static EngineHistogram only(EngineSample sample, String signal) {
        return sample.getHistograms().stream()
                .filter(histogram -> histogram.getSignal().equals(signal))
                .findFirst()
                .orElseThrow();
    }

    private static long at(EngineHistogram histogram, long boundMicros) {
        int index = histogram.getBoundsMicros().indexOf(boundMicros);
        assertThat(index)
                .as("bound %d of %s", boundMicros, histogram.getBoundsMicros())
                .isNotNegative();
        return histogram.getTotals().get(index);
    }

    private static ExportMetricsServiceRequest batch(Metric... metrics) {
        return ExportMetricsServiceRequest.newBuilder()
                .addResourceMetrics(ResourceMetrics.newBuilder()
                        .setResource(Resource.newBuilder().addAttributes(text("service.instance.id", "chat-0")))
                        .addScopeMetrics(ScopeMetrics.newBuilder().addAllMetrics(List.of(metrics))))
                .build();
    }

    private static KeyValue text(String key, String value) {
        return KeyValue.newBuilder()
                .setKey(key)
                .setValue(AnyValue.newBuilder().setStringValue(value))
                .build();
    }

    private long nextNanos() {
        second += 10;
        return second * 1_000_000_000L;
    }

    private Metric histogram(
            String name,
            String unit,
            AggregationTemporality temporality,
            long startSeconds,
            List<Double> bounds,
            List<Long> counts,
            double sum) {
        return Metric.newBuilder()
                .setName(name)
                .setUnit(unit)
                .setHistogram(Histogram.newBuilder()
                        .setAggregationTemporality(temporality)
                        .addDataPoints(HistogramDataPoint.newBuilder()
                                .addAttributes(text("gen_ai.request.model", "llama"))
                                .setStartTimeUnixNano(startSeconds * 1_000_000_000L)
                                .setTimeUnixNano(nextNanos())
                                .addAllExplicitBounds(bounds)
                                .addAllBucketCounts(counts)
                                .setSum(sum)))
                .build();
    }

    private Metric exponential(int scale, int offset, List<Long> counts, long zeros) {
        return Metric.newBuilder()
                .setName(TTFT)
                .setUnit("s")
                .setExponentialHistogram(ExponentialHistogram.newBuilder()
                        .setAggregationTemporality(DELTA)
                        .addDataPoints(ExponentialHistogramDataPoint.newBuilder()
                                .setTimeUnixNano(nextNanos())
                                .setScale(scale)
                                .setZeroCount(zeros)
                                .setPositive(ExponentialHistogramDataPoint.Buckets.newBuilder()
                                        .setOffset(offset)
                                        .addAllBucketCounts(counts))))
                .build();
    }

    private Metric counter(String name, AggregationTemporality temporality, long startSeconds, long value) {
        return Metric.newBuilder()
                .setName(name)
                .setSum(Sum.newBuilder()
                        .setAggregationTemporality(temporality)
                        .setIsMonotonic(true)
                        .addDataPoints(NumberDataPoint.newBuilder()
                                .setStartTimeUnixNano(startSeconds * 1_000_000_000L)
                                .setTimeUnixNano(nextNanos())
                                .setAsInt(value)))
                .build();
    }
}
