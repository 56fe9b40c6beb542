package io.inferwatch.jobs.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.MetricGauge;
import io.inferwatch.schemas.WindowStat;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TenantFunctionTest {
    private static final long MINUTE = GroupWindows.MINUTE_MICROS;
    private static final long START =
            1_000 * Instant.parse("2026-01-01T10:00:00Z").toEpochMilli();
    private static final int REPLICAS = 8;

    private final EventCodec codec = new EventCodec();
    private KeyedOneInputStreamOperatorTestHarness<String, TenantMinute, OutboundRecord> harness;

    @BeforeEach
    void open() throws Exception {
        harness = new KeyedOneInputStreamOperatorTestHarness<>(
                new KeyedProcessOperator<>(new TenantFunction()), TenantMinute::tenant, Types.STRING);
        harness.open();
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    /** Every request of a minute takes as long, so that this is its P99. */
    @Test
    void jitterIsTheDeviationOfTheMinutesTail() throws Exception {
        double[] p99 = IntStream.range(0, 30)
                .mapToDouble(i -> 1 + 0.2 * Math.sin(2.4 * i))
                .toArray();
        for (int i = 0; i < p99.length; i++) {
            send(minute("a", "r-0", i, 1e6 * p99[i], 200, 0));
        }
        // Too few to have a P99.
        send(minute("a", "r-0", 30, 9e6, 99, 0));
        pass(30);

        FigureResult told = last();
        double mean = DoubleStream.of(p99).average().orElseThrow();
        double deviation = Math.sqrt(
                DoubleStream.of(p99).map(value -> Math.pow(value - mean, 2)).sum() / (p99.length - 1));
        assertThat(told.getKind()).isEqualTo("tenant");
        assertThat(told.getDimensions()).containsExactly(new Dimension("tenant", "a"));
        assertThat(told.getCounts()).containsEntry("jitter_windows", 30L);
        // By the sketch's 0.37 %.
        assertThat(told.getValues().get("p99_mean_seconds")).isCloseTo(mean, within(0.004 * mean));
        assertThat(told.getValues().get("p99_jitter_seconds")).isCloseTo(deviation, within(0.04 * deviation));
        assertThat(told.getValues().get("p99_jitter_low_seconds")).isLessThan(deviation);
        assertThat(told.getValues().get("p99_jitter_high_seconds")).isGreaterThan(deviation);
    }

    /** Latency goes with the root of e by a thousand tokens a second of the others, seed 3; each replica has a speed of its own. */
    @Test
    void whatTheOthersLoadDoes() throws Exception {
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 30; i++) {
            for (int replica = 0; replica < REPLICAS; replica++) {
                double load = 1_000 * random.nextDouble();
                double noise = 0.02 * (random.nextDouble() - 0.5);
                double mean = 1e5 * (1 + replica) * Math.exp(0.5 * load / 1_000 + noise);
                send(minute("a", "r-" + replica, i, mean, 5, Math.round(60 * load)));
                send(minute("b", "r-" + replica, i, 1e5 * (1 + replica) * Math.exp(noise), 5, Math.round(60 * load)));
            }
        }
        pass(29);

        FigureResult disturbed = last("a");
        double quartiles = disturbed.getValues().get("neighbour_load_tokens_per_second");
        assertThat(quartiles).isCloseTo(500, within(60.0));
        double ratio = Math.exp(0.5 * quartiles / 1_000);
        assertThat(disturbed.getValues().get("neighbour_ratio")).isCloseTo(ratio, within(0.01));
        assertThat(disturbed.getValues().get("neighbour_ratio_low"))
                .isLessThan(ratio)
                .isGreaterThan(1);
        assertThat(disturbed.getValues().get("neighbour_ratio_high")).isGreaterThan(ratio);
        assertThat(disturbed.getCounts())
                .containsEntry("replicas", (long) REPLICAS)
                .containsEntry("disturbed", 1L);

        FigureResult alone = last("b");
        assertThat(alone.getValues().get("neighbour_ratio")).isCloseTo(1, within(0.01));
        assertThat(alone.getCounts()).containsEntry("disturbed", 0L);
        assertThat(alone.getValues()).doesNotContainKeys("p99_jitter_seconds", "cgroup_memory_share");
    }

    /** A replica of two devices that tell of the same processes: 3 GB of 4, 1.2 of 2 processors, held back for 6 s. */
    @Test
    void tenantsOfAReplicaBesideItsControlGroup() {
        WindowStat group = window(new GroupWindows("replica", "gpu-replica", new Dimension("replica", "r-0"))
                .sum("cgroup_cpu", 2 * 72_000_000L)
                .sum("cgroup_throttled", 2 * 6_000_000L));
        group.setGauges(List.of(
                new MetricGauge("cgroup_memory", 2L, 6_000_000_000L, 0L, 0L, 0L, 0L, 2 * MINUTE, 3e9 * 2 * MINUTE),
                new MetricGauge("cgroup_memory_limit", 2L, 8_000_000_000L, 0L, 0L, 0L, 0L, 2 * MINUTE, 0.0),
                new MetricGauge("cgroup_cpu_limit", 2L, 4_000_000L, 0L, 0L, 0L, 0L, 2 * MINUTE, 0.0)));
        List<TenantMinute> minutes = TenantMinute.of(new ReplicaWindows(
                List.of(group, tenant("a", 1_000, 300), tenant("b", 500, 100), tenant("none", 50, 50))));

        assertThat(minutes).extracting(TenantMinute::tenant).containsExactly("a", "b");
        TenantMinute a = minutes.get(0);
        assertThat(a.tokens()).isEqualTo(1_300);
        assertThat(a.othersTokens()).isEqualTo(700);
        assertThat(a.meanMicros()).isEqualTo(200_000);
        assertThat(a.memoryShare()).isCloseTo(0.75, within(1e-9));
        assertThat(a.cpuShare()).isCloseTo(0.6, within(1e-9));
        assertThat(a.throttledShare()).isCloseTo(0.1, within(1e-9));

        TenantMinute without = TenantMinute.of(new ReplicaWindows(List.of(tenant("a", 1_000, 300))))
                .get(0);
        assertThat(without.memoryShare()).isNaN();
        assertThat(without.cpuShare()).isNaN();
        assertThat(without.throttledShare()).isNaN();
    }

    @Test
    void anHourOfSilenceForgetsATenant() throws Exception {
        for (int i = 0; i < 12; i++) {
            send(minute("a", "r-0", i, 1e6 + 1e4 * (i % 3), 200, 0));
        }
        pass(11);
        assertThat(harness.extractOutputValues()).isNotEmpty();
        int told = harness.extractOutputValues().size();
        harness.processWatermark(START / 1_000 + Duration.ofHours(2).toMillis());
        assertThat(harness.extractOutputValues()).hasSize(told);
        assertThat(harness.numKeyedStateEntries()).isZero();
        assertThat(harness.numEventTimeTimers()).isZero();
    }

    private static TenantMinute minute(String tenant, String replica, int i, double micros, int n, long others) {
        QuantileSketch sketch = new QuantileSketch();
        sketch.add(Math.round(micros), n);
        return new TenantMinute(
                tenant,
                replica,
                START + (i + 1) * MINUTE,
                micros,
                SketchEncoding.encode(sketch),
                100L * (i % 3),
                others,
                Double.NaN,
                Double.NaN,
                Double.NaN);
    }

    private static WindowStat tenant(String tenant, long prefilled, long generated) {
        return window(new GroupWindows(
                        "replica", "tenant-replica", new Dimension("tenant", tenant), new Dimension("replica", "r-0"))
                .values("ttft", 10, i -> 200_000)
                .sum("prefilled_tokens", prefilled)
                .sum("generated_tokens", generated));
    }

    private static WindowStat window(GroupWindows windows) {
        try {
            return new EventCodec()
                    .decode(windows.member("", MINUTE, START + MINUTE).content(), WindowStat.class);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private void send(TenantMinute minute) throws Exception {
        harness.processElement(minute, 0);
    }

    private void pass(int i) throws Exception {
        harness.processWatermark((START + (i + 1) * MINUTE) / 1_000);
    }

    private FigureResult last() throws Exception {
        List<OutboundRecord> all = harness.extractOutputValues();
        return codec.decode(all.get(all.size() - 1).value(), FigureResult.class);
    }

    private FigureResult last(String tenant) throws Exception {
        FigureResult found = null;
        for (OutboundRecord record : harness.extractOutputValues()) {
            FigureResult result = codec.decode(record.value(), FigureResult.class);
            if (result.getDimensions().contains(new Dimension("tenant", tenant))) {
                found = result;
            }
        }
        assertThat(found).as(tenant).isNotNull();
        return Objects.requireNonNull(found);
    }
}
