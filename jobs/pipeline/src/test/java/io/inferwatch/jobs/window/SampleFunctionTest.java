package io.inferwatch.jobs.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.Sample;
import io.inferwatch.jobs.ingest.SampleFields;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Granularity;
import io.inferwatch.schemas.KernelProfile;
import io.inferwatch.schemas.OperatorMetric;
import io.inferwatch.schemas.Profiler;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.avro.specific.SpecificRecord;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.metrics.groups.InternalOperatorMetricGroup;
import org.apache.flink.runtime.metrics.util.InterceptingOperatorMetricGroup;
import org.apache.flink.runtime.metrics.util.InterceptingTaskMetricGroup;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SampleFunctionTest {
    private static final long TEN = Instant.parse("2026-01-01T10:00:00Z").toEpochMilli();
    private static final MetricCatalogue CATALOGUE = MetricCatalogue.shipped();
    private static final MetricLayout ENGINE = MetricLayout.of(CATALOGUE, Metric.Origin.ENGINE);
    private static final MetricLayout KERNELS = MetricLayout.of(CATALOGUE, Metric.Origin.KERNELS);
    private static final MetricLayout GPU = MetricLayout.of(CATALOGUE, Metric.Origin.GPU);
    private static final MetricLayout OPERATORS = MetricLayout.of(CATALOGUE, Metric.Origin.OPERATORS);

    private final EventCodec codec = new EventCodec();
    private final InterceptingOperatorMetricGroup counters = new InterceptingOperatorMetricGroup();
    private KeyedOneInputStreamOperatorTestHarness<String, Sample, Partial> harness;

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
    void aReadingHoldsUntilTheNextAndIsSpreadOverThePanesInBetween() throws Exception {
        send(Samples.engine("r", 0, TEN + 4_000).setRunningRequests(8L).build());
        send(Samples.engine("r", 1, TEN + 14_000).setRunningRequests(2L).build());

        Map<Long, WindowContent> panes = panes("engine-fleet", ENGINE);
        // 8 held for 6 s of the first pane and 4 s of the second.
        Gauge first = gauge(panes.get(TEN + 10_000), "running_requests");
        assertThat(first.heldMicros()).isEqualTo(6_000_000);
        assertThat(first.heldSum()).isEqualTo(8 * 6e6);
        assertThat(first.n()).isEqualTo(1);
        assertThat(first.last()).isEqualTo(8);
        Gauge second = gauge(panes.get(TEN + 20_000), "running_requests");
        assertThat(second.heldMicros()).isEqualTo(4_000_000);
        assertThat(second.heldSum()).isEqualTo(8 * 4e6);
        assertThat(second)
                .extracting(Gauge::n, Gauge::sum, Gauge::min, Gauge::max, Gauge::last)
                .containsExactly(1L, 2L, 2L, 2L, 2L);
    }

    @Test
    void whatTotalsGrowByIsSpreadByTimeToTheLastUnit() throws Exception {
        send(Samples.engine("r", 5, TEN + 4_000).setPreemptionsTotal(100L).build());
        send(Samples.engine("r", 6, TEN + 25_000).setPreemptionsTotal(110L).build());

        // 10 in 21 s: floor(10 * 6 / 21) = 2, floor(10 * 16 / 21) = 7, the rest.
        assertThat(sums("engine-fleet", "preemptions"))
                .isEqualTo(Map.of(TEN + 10_000, 2L, TEN + 20_000, 5L, TEN + 30_000, 3L));
    }

    @Test
    void sharesOfTheAllocatorFollowFromOneSample() throws Exception {
        send(Samples.gpu("GPU-a", 0, TEN + 1_000)
                .setAllocatedBytes(600L)
                .setAllocatorReservedBytes(1_000L)
                .setInactiveSplitBytes(250L)
                .setLargestFreeBlockBytes(100L)
                .setLargestRequestBytes(90L)
                .setUnusableFreeBytes(310L)
                .build());

        WindowContent pane = panes("gpu-fleet", GPU).get(TEN + 10_000);
        assertThat(gauge(GPU, pane, "allocator_cache_share").last()).isEqualTo(400_000);
        assertThat(gauge(GPU, pane, "allocator_split_share").last()).isEqualTo(250_000);
        assertThat(gauge(GPU, pane, "allocator_external_share").last()).isEqualTo(750_000);
        assertThat(gauge(GPU, pane, "allocator_unusable_share").last()).isEqualTo(775_000);
        assertThat(counter("contradictory_allocator_readings_total")).isZero();
    }

    @Test
    void countersThatContradictEachOtherAreCountedAndTellNoShare() throws Exception {
        send(Samples.gpu("GPU-a", 0, TEN + 1_000)
                .setAllocatedBytes(600L)
                .setAllocatorReservedBytes(1_000L)
                .setInactiveSplitBytes(500L)
                .build());
        send(Samples.engine("r", 0, TEN + 1_000)
                .setKvBlockTokens(16L)
                .setKvTotalBlocks(100L)
                .setKvUsedBlocks(120L)
                .build());

        WindowContent pane = panes("gpu-fleet", GPU).get(TEN + 10_000);
        assertThat(pane.gauge(number(GPU.gauges(), "allocator_cache_share"))).isNull();
        assertThat(gauge(GPU, pane, "allocator_allocated").last()).isEqualTo(600);
        assertThat(counter("contradictory_allocator_readings_total")).isEqualTo(1);
        assertThat(counter("contradictory_kv_readings_total")).isEqualTo(1);
    }

    @Test
    void useAndWasteOfTheKvCacheFollowFromOneSample() throws Exception {
        send(Samples.engine("r", 0, TEN + 1_000)
                .setKvBlockTokens(16L)
                .setKvTotalBlocks(100L)
                .setKvUsedBlocks(40L)
                .setKvUsedTokens(512L)
                .setKvEvictableTokens(160L)
                .build());
        send(Samples.engine("by-share", 0, TEN + 11_000).setKvUsagePpm(123_456L).build());
        send(Samples.engine("by-tokens", 0, TEN + 21_000)
                .setKvTotalTokens(1_000L)
                .setKvUsedTokens(200L)
                .setKvEvictableTokens(300L)
                .build());

        Map<Long, WindowContent> panes = panes("engine-fleet", ENGINE);
        // 40 blocks have room for 640 tokens, 100 for 1,600.
        assertThat(gauge(panes.get(TEN + 10_000), "kv_use").last()).isEqualTo(400_000);
        assertThat(gauge(panes.get(TEN + 10_000), "kv_waste").last()).isEqualTo(200_000);
        assertThat(gauge(panes.get(TEN + 10_000), "kv_stranded").last()).isEqualTo(100_000);
        assertThat(gauge(panes.get(TEN + 20_000), "kv_use").last()).isEqualTo(123_456);
        assertThat(gauge(panes.get(TEN + 30_000), "kv_use").last()).isEqualTo(200_000);
        assertThat(gauge(panes.get(TEN + 30_000), "kv_stranded").last()).isEqualTo(300_000);
    }

    @Test
    void aSampleOfAnEngineCountsForEachOfItsGpus() throws Exception {
        send(Samples.engine("r", 0, TEN + 1_000)
                .setGpuUuids(List.of("GPU-a", "GPU-b"))
                .setWeightBytes(7L)
                .build());
        send(Samples.engine("of-none", 0, TEN + 1_000).setWeightBytes(9L).build());

        assertThat(harness.extractOutputValues())
                .filteredOn(partial -> partial.view().equals("engine-device"))
                .extracting(partial -> String.join(" ", partial.values()))
                .containsExactly("GPU-a none r", "GPU-b none r");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void overAnySamplesGrowthAddsUpToTheDifferenceOfTheTotals(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        long at = TEN;
        long total = random.nextLong(1L << 40);
        for (int i = 0; i < 50; i++) {
            send(Samples.engine("r", i, at).setGeneratedTokensTotal(total).build());
            if (i < 49) {
                at += 1 + random.nextLong(25_000);
                total += random.nextLong(1L << random.nextInt(1, 45));
            }
        }
        assertThat(sums("engine-fleet", "engine_generated_tokens").values().stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .as("from 0 on, as a stream begins")
                .isEqualTo(total);
    }

    @Test
    void aTotalThatFellBeganAnewAtZero() throws Exception {
        send(Samples.engine("r", 3, TEN + 1_000).setPreemptionsTotal(100L).build());
        send(Samples.engine("r", 4, TEN + 2_000).setPreemptionsTotal(7L).build());
        assertThat(sums("engine-fleet", "preemptions")).isEqualTo(Map.of(TEN + 10_000, 7L));
    }

    @Test
    void whatASampleDoesNotTellIsNeitherZeroNorGrowth() throws Exception {
        send(Samples.engine("r", 0, TEN + 1_000).setKvUsagePpm(500_000L).build());
        send(Samples.engine("r", 1, TEN + 2_000).setPreemptionsTotal(7L).build());
        send(Samples.engine("r", 2, TEN + 3_000).setPreemptionsTotal(9L).build());

        WindowContent pane = panes("engine-fleet", ENGINE).get(TEN + 10_000);
        assertThat(gauge(pane, "kv_usage"))
                .extracting(Gauge::n, Gauge::min, Gauge::heldMicros)
                .containsExactly(1L, 500_000L, 1_000_000L);
        assertThat(pane.gauge(number(ENGINE.gauges(), "waiting_requests"))).isNull();
    }

    @Test
    void aTotalThatIsNotToldForAWhileGoesOnFromWhereItWas() throws Exception {
        send(Samples.engine("r", 0, TEN + 1_000).setKvUsagePpm(1L).build());
        send(Samples.engine("r", 1, TEN + 2_000).setPreemptionsTotal(7L).build());
        send(Samples.engine("r", 2, TEN + 3_000).build());
        send(Samples.engine("r", 3, TEN + 4_000).setPreemptionsTotal(9L).build());
        assertThat(sums("engine-fleet", "preemptions")).isEqualTo(Map.of(TEN + 10_000, 9L));
    }

    /** 8 of 16 run and 12 want a place; then 20 would want one of 16, and then nobody says how many wait. */
    @Test
    void sharesOfASampleAreAtMostOneAndThereOnlyWhereAllOfThemAre() throws Exception {
        send(batch(0).setRunningRequests(8L).setWaitingRequests(4L).build());
        send(batch(1).setRunningRequests(16L).setWaitingRequests(4L).build());
        send(batch(2).setRunningRequests(4L).build());
        send(batch(3).setRunningRequests(4L)
                .setWaitingRequests(1L)
                .setMaxRequests(null)
                .build());

        WindowContent pane = panes("engine-fleet", ENGINE).get(TEN + 10_000);
        QuantileSketch fill = sketch(pane, "batch_fill");
        assertThat(fill.n()).isEqualTo(3);
        assertThat(fill.sum()).isEqualTo(500_000 + 1_000_000 + 250_000);
        QuantileSketch wanted = sketch(pane, "batch_wanted");
        assertThat(wanted.n()).isEqualTo(2);
        assertThat(wanted.sum()).isEqualTo(750_000 + 1_000_000);
    }

    @Test
    void requestsWhoseHitsNobodyKnowsAreNotAmongThoseThatAreJudged() throws Exception {
        send(kernel(0).setL2Requests(1_000L).setL2Hits(800L).setL2Bytes(32_000L).build());
        send(kernel(1).setL2Requests(7_000L).build());

        WindowContent pane = panes("kernel-stage", KERNELS).get(TEN + 10_000);
        assertThat(pane.sum(number(KERNELS.sums(), "kernel_l2_requests"))).isEqualTo(8_000);
        assertThat(pane.sum(number(KERNELS.sums(), "kernel_l2_judged_requests")))
                .isEqualTo(1_000);
        assertThat(pane.sum(number(KERNELS.sums(), "kernel_l2_measured_requests")))
                .isEqualTo(1_000);
    }

    private static EngineSample.Builder batch(int sequence) {
        return Samples.engine("r", sequence, TEN + 1_000L * (sequence + 1)).setMaxRequests(16L);
    }

    private static QuantileSketch sketch(WindowContent pane, String metric) {
        return Objects.requireNonNull(pane.sketch(number(ENGINE.quantiles(), metric)));
    }

    private static KernelProfile.Builder kernel(int sequence) {
        return KernelProfile.newBuilder()
                .setStream("test/kernels")
                .setSequence(sequence)
                .setProfiledAtMicros((TEN + 1_000) * 1_000)
                .setReplica("r")
                .setProfiler(Profiler.NSIGHT_COMPUTE)
                .setProfile("p")
                .setKernel("k")
                .setCalls(1);
    }

    @Test
    void theBeginningOfAStreamThatWasNotSeenIsUnknown() throws Exception {
        send(Samples.engine("r", 5, TEN + 1_000).setPreemptionsTotal(700L).build());
        assertThat(sums("engine-fleet", "preemptions")).isEmpty();
    }

    @Test
    void afterASilenceAReadingHeldForOneIntervalOnly() throws Exception {
        send(Samples.engine("r", 0, TEN).setRunningRequests(4L).build());
        send(Samples.engine("r", 1, TEN + 120_000).setRunningRequests(6L).build());
        Map<Long, WindowContent> panes = panes("engine-fleet", ENGINE);
        assertThat(gauge(panes.get(TEN + 10_000), "running_requests").heldMicros())
                .isEqualTo(10_000_000);
        assertThat(panes.keySet()).containsExactly(TEN + 10_000, TEN + 130_000);
    }

    @ParameterizedTest(name = "a watermark {0} ms after the beginning")
    @ValueSource(longs = {Long.MIN_VALUE, 0, 3_600_000})
    void growthOverALongSilenceFallsOnTheLastTenMinutesHoweverFarEventTimeIs(long watermark) throws Exception {
        send(Samples.engine("r", 0, TEN).setPreemptionsTotal(0L).build());
        if (watermark != Long.MIN_VALUE) {
            harness.processWatermark(TEN + watermark);
        }
        send(Samples.engine("r", 1, TEN + 3_600_000).setPreemptionsTotal(6_000L).build());
        Map<Long, Long> expected = new TreeMap<>();
        for (int pane = 1; pane <= 60; pane++) {
            expected.put(TEN + 3_000_000 + pane * 10_000L, 100L);
        }
        assertThat(sums("engine-fleet", "preemptions")).isEqualTo(expected);
    }

    @Test
    void repeatsCountOnceAndWhatComesOutOfOrderGivesItsReadingsAlone() throws Exception {
        EngineSample first = Samples.engine("r", 0, TEN + 1_000)
                .setRunningRequests(1L)
                .setPreemptionsTotal(0L)
                .build();
        EngineSample second = Samples.engine("r", 1, TEN + 2_000)
                .setRunningRequests(3L)
                .setPreemptionsTotal(4L)
                .build();
        EngineSample third = Samples.engine("r", 2, TEN + 3_000)
                .setRunningRequests(5L)
                .setPreemptionsTotal(6L)
                .build();
        send(first);
        send(third);
        send(second);
        send(third);
        WindowContent pane = panes("engine-fleet", ENGINE).get(TEN + 10_000);
        assertThat(pane.events()).isEqualTo(3);
        assertThat(gauge(pane, "running_requests"))
                .extracting(Gauge::n, Gauge::sum, Gauge::last, Gauge::heldMicros)
                .containsExactly(3L, 9L, 5L, 2_000_000L);
        assertThat(sums("engine-fleet", "preemptions")).isEqualTo(Map.of(TEN + 10_000, 6L));
    }

    @Test
    void twoStreamsOfOneSubjectDoNotMixTheirTotals() throws Exception {
        send(Samples.engine("r", 8, TEN + 1_000).setPreemptionsTotal(1_000L).build());
        send(Samples.engine("r", 8, TEN + 2_000)
                .setStream("other/r")
                .setPreemptionsTotal(5L)
                .build());
        send(Samples.engine("r", 9, TEN + 3_000).setPreemptionsTotal(1_001L).build());
        send(Samples.engine("r", 9, TEN + 4_000)
                .setStream("other/r")
                .setPreemptionsTotal(7L)
                .build());
        assertThat(sums("engine-fleet", "preemptions")).isEqualTo(Map.of(TEN + 10_000, 3L));
    }

    @Test
    void anEnginesHistogramGivesWhatItsBucketsGrewBy() throws Exception {
        List<Long> bounds = List.of(10_000L, 100_000L);
        send(Samples.engine("r", 5, TEN + 1_000)
                .setHistograms(List.of(Samples.ttft(bounds, List.of(5L, 5L, 5L), 1_000_000)))
                .build());
        send(Samples.engine("r", 6, TEN + 2_000)
                .setHistograms(List.of(Samples.ttft(bounds, List.of(6L, 9L, 5L), 1_300_000)))
                .build());
        assertThat(panes("engine-fleet", ENGINE)
                        .get(TEN + 10_000)
                        .histogram(number(ENGINE.histograms(), "ttft_buckets")))
                .isEqualTo(new BucketCounts(new long[] {10_000, 100_000}, new long[] {1, 4, 0}, 300_000));
    }

    @Test
    void seriesAreNamedByTheSamplesOwnValues() throws Exception {
        send(Samples.engine("r/1", 0, TEN).setVersion(null).build());
        assertThat(harness.extractOutputValues())
                .extracting(Partial::series)
                .containsExactly(
                        "engine-fleet", "engine-model/m/none", "engine-pool/none/none", "engine-replica/r%2f1/m/none");
    }

    @Test
    void anOperatorsNumberIsKeptInTheCataloguesUnitByItsLabels() throws Exception {
        send(operator("expert_utilization_ratio", 0.125, 0));
        send(operator("sm_efficiency_pct", 81.5, 1));
        Map<Long, WindowContent> panes = panes("operator-layer", OPERATORS);
        assertThat(harness.extractOutputValues()).extracting(Partial::series).contains("operator-layer/3/17/r");
        WindowContent pane = panes.get(TEN + 10_000);
        assertThat(pane.gauge(number(OPERATORS.gauges(), "expert_utilization")))
                .isEqualTo(Gauge.of(125_000, TEN * 1000));
        var sketch = pane.sketch(number(OPERATORS.quantiles(), "attention_sm_efficiency"));
        assertThat(sketch).isNotNull();
        assertThat(sketch.max() / 1e9).isCloseTo(81.5, within(1e-9));
    }

    @Test
    void aRestoredTaskGoesOnFromTheSampleBefore() throws Exception {
        send(Samples.engine("r", 0, TEN + 1_000).setPreemptionsTotal(1L).build());
        OperatorSubtaskState state = harness.snapshot(1, TEN);
        harness.close();
        harness = harness();
        harness.initializeState(state);
        harness.open();
        send(Samples.engine("r", 0, TEN + 1_000).setPreemptionsTotal(1L).build());
        assertThat(harness.extractOutputValues()).as("a repeat").isEmpty();
        send(Samples.engine("r", 1, TEN + 2_000).setPreemptionsTotal(4L).build());
        assertThat(sums("engine-fleet", "preemptions")).isEqualTo(Map.of(TEN + 10_000, 3L));
    }

    @Test
    void aStreamIsForgottenADayAfterItsLastSample() throws Exception {
        send(Samples.engine("r", 0, TEN).build());
        assertThat(harness.numKeyedStateEntries()).isOne();
        harness.processWatermark(TEN + Duration.ofDays(1).toMillis());
        assertThat(harness.numKeyedStateEntries()).isOne();
        harness.processWatermark(TEN + Duration.ofDays(2).toMillis());
        assertThat(harness.numKeyedStateEntries()).isZero();
    }

    private OperatorMetric operator(String name, double value, long sequence) {
        return OperatorMetric.newBuilder()
                .setStream("test/r")
                .setSequence(sequence)
                .setMeasuredAtMicros(TEN * 1000)
                .setReplica("r")
                .setName(name)
                .setValue(value)
                .setGranularity(Granularity.FORWARD_PASS)
                .setLayer("3")
                .setLabels(Map.of("expert", "17"))
                .build();
    }

    private void send(SpecificRecord sample) throws Exception {
        long at = SampleFields.atMicros(sample);
        InboundRecord record = new InboundRecord("t", 0, 0, at / 1000, null, codec.encode(sample));
        harness.processElement(new Sample(record, SampleFields.text(sample, "replica"), at, "", ""), at / 1000);
    }

    private Map<Long, WindowContent> panes(String view, MetricLayout layout) {
        Map<Long, WindowContent> panes = new TreeMap<>();
        for (Partial partial : new ArrayList<>(harness.extractOutputValues())) {
            if (partial.view().equals(view)) {
                panes.computeIfAbsent(partial.paneEndMillis(), end -> new WindowContent(layout))
                        .mergeEncoded(partial.content(), 0);
            }
        }
        return panes;
    }

    private Map<Long, Long> sums(String view, String metric) {
        Map<Long, Long> sums = new TreeMap<>();
        panes(view, ENGINE).forEach((end, pane) -> {
            long sum = pane.sum(number(ENGINE.sums(), metric));
            if (sum != 0) {
                sums.put(end, sum);
            }
        });
        return sums;
    }

    private static Gauge gauge(WindowContent pane, String metric) {
        return gauge(ENGINE, pane, metric);
    }

    private static Gauge gauge(MetricLayout layout, WindowContent pane, String metric) {
        Gauge gauge = pane.gauge(number(layout.gauges(), metric));
        assertThat(gauge).as(metric).isNotNull();
        return gauge;
    }

    private static int number(List<Metric> metrics, String name) {
        return metrics.stream().map(Metric::name).toList().indexOf(name);
    }

    private long counter(String name) {
        return ((Counter) counters.get(name)).getCount();
    }

    private KeyedOneInputStreamOperatorTestHarness<String, Sample, Partial> harness() throws Exception {
        MockEnvironment environment = new MockEnvironmentBuilder()
                .setMetricGroup(new InterceptingTaskMetricGroup() {
                    @Override
                    public InternalOperatorMetricGroup getOrAddOperator(
                            OperatorID id, String name, Map<String, String> variables) {
                        return counters;
                    }
                })
                .build();
        return new KeyedOneInputStreamOperatorTestHarness<>(
                new KeyedProcessOperator<>(new SampleFunction(MetricCatalogue.shippedYaml(), Duration.ofMinutes(10))),
                Sample::subject,
                Types.STRING,
                environment);
    }
}
