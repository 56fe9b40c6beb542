package io.inferwatch.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.analytics.schedule.SkewedLengths;
import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.KafkaTopics;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.Evidence;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.GpuProcess;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.GpuState;
import io.inferwatch.schemas.Granularity;
import io.inferwatch.schemas.OperatorMetric;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Source;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.Traffic;
import io.inferwatch.servers.KafkaBroker;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Samples made to the figures of tables that bottlenecks, captures, schedulers and contention have to show, through the jobs that measure and
 * judge; and a process that is bound to the wrong socket for three minutes.
 */
class BottlenecksIT {
    private static final long MINUTE = 60_000_000;
    private static final long SECOND = 1_000_000;
    private static final long TEN_MINUTES = 10 * MINUTE;
    private static final List<String> UNITS = List.of("text", "image", "audio");
    private static final int REPLICAS = 11;
    private static final int STUDIED = 24;

    private static long start;
    private static List<SpecificRecord> results = List.of();
    private static List<Alert> alerts = List.of();

    @BeforeAll
    static void run() throws Exception {
        start = 1_000
                * Instant.now()
                        .truncatedTo(ChronoUnit.HOURS)
                        .minus(Duration.ofHours(6))
                        .toEpochMilli();
        try (KafkaBroker broker = KafkaBroker.start()) {
            KafkaConnection kafka = KafkaConnection.to(broker.bootstrapServers());
            KafkaTopics.create(kafka, 1, (short) 1);
            VirtualRun run = new VirtualRun(kafka);
            run.publish(sink -> requests().forEach(sink::accept));
            run.publish(Topic.GPU, "gpu", devices());
            run.publish(Topic.ENGINE, "engine", engines());
            run.publish(Topic.OPERATORS, "operators", operations());
            run.measure();
            run.detect();
            results = TopicContents.of(broker.bootstrapServers(), Topic.RESULTS);
            alerts = TopicContents.alerts(broker.bootstrapServers());
        }
    }

    /** Bandwidth above 85 % with tensor cores below 60 %, the reverse, neither, and readings of different times; 60 s each. */
    private static List<GpuSample> devices() {
        List<GpuSample> all = new ArrayList<>();
        for (int second = 1; second <= 60; second++) {
            long at = start + second * SECOND;
            all.add(device("GPU-decode", at)
                    .setDramActivePpm(920_000L)
                    .setTensorActivePpm(480_000L)
                    .build());
            all.add(device("GPU-prefill", at)
                    .setDramActivePpm(310_000L)
                    .setTensorActivePpm(910_000L)
                    .build());
            all.add(device("GPU-both", at)
                    .setDramActivePpm(700_000L)
                    .setTensorActivePpm(700_000L)
                    .build());
            all.add(device("GPU-apart", at)
                    .setDramActivePpm(920_000L)
                    .setTensorActivePpm(480_000L)
                    .setReadingsApartMicros(400_000L)
                    .build());
            all.add(device("GPU-skewed", at)
                    .setReplica("skewed")
                    .setBusyPpm(second % 2 == 0 ? 250_000L : 750_000L)
                    .build());
        }
        for (int minute = 0; minute < 9; minute++) {
            GpuProcess process = new GpuProcess();
            process.setPid(4711);
            process.setName("vllm");
            boolean isFar = minute >= 3 && minute < 6;
            process.setCpusAllowed(isFar ? "0-31" : "32-63");
            process.setFarFromDevice(isFar);
            all.add(device("GPU-far", start + minute * MINUTE + 30 * SECOND)
                    .setNumaNode(1)
                    .setCpuAffinity("32-63")
                    .setProcesses(List.of(process))
                    .build());
        }
        all.sort(Comparator.comparingLong(GpuSample::getSampledAtMicros));
        return numbered(all);
    }

    private static List<GpuSample> numbered(List<GpuSample> samples) {
        for (int i = 0; i < samples.size(); i++) {
            samples.get(i).setStream("table/" + samples.get(i).getGpu());
            samples.get(i).setSequence(i);
        }
        return samples;
    }

    private static GpuSample.Builder device(String gpu, long at) {
        return GpuSample.newBuilder()
                .setStream("table")
                .setSequence(0)
                .setSampledAtMicros(at)
                .setIntervalMicros(SECOND)
                .setGpu(gpu)
                .setNode("node-1")
                .setOrigin("nvml")
                .setState(GpuState.OK)
                .setReadingsApartMicros(0L);
    }

    @Test
    void whatHoldsEachDeviceBack() {
        assertThat(bottleneck("GPU-decode")).containsEntry("bandwidth_bound", 1.0);
        assertThat(bottleneck("GPU-prefill")).containsEntry("compute_bound", 1.0);
        assertThat(bottleneck("GPU-both")).containsEntry("balanced", 1.0);
        assertThat(bottleneck("GPU-apart")).containsEntry("unknown", 1.0);
    }

    private static Map<String, Double> bottleneck(String gpu) {
        FigureResult told = one("bottleneck", Map.of("gpu", gpu), start + MINUTE);
        assertThat(told.getValues()).containsEntry("observed_seconds", 60.0);
        return told.getValues();
    }

    @Test
    void aProcessOfTheOtherSocketIsOneAlertThatEndsWhenItIsMended() {
        List<Alert> changes = alerts;
        assertThat(changes).extracting(Alert::getFingerprint).containsOnly("placement:GPU-far");
        assertThat(changes).extracting(Alert::getState).containsExactly(AlertState.FIRING, AlertState.RESOLVED);
        assertThat(changes.get(0).getStartsAtMicros()).isEqualTo(start + 3 * MINUTE);
        assertThat(changes.get(0).getChangedAtMicros()).isEqualTo(start + 5 * MINUTE);
        assertThat(changes.get(0).getEvidence()).extracting(Evidence::getNote).contains("taskset -acp 32-63 4711");
        assertThat(changes.get(1).getEndsAtMicros()).isEqualTo(start + 9 * MINUTE);
        assertThat(one("placement", Map.of("gpu", "GPU-far"), start + 6 * MINUTE)
                        .getTexts())
                .containsEntry("placed", "far")
                .containsEntry("command", "taskset -acp 32-63 4711");
    }

    /**
     * Three policies of batching for an hour: 200 captures each, of which none, 37 and (of 250) 3 fail; steps of 20 ms that vary by 0.02, 1.87
     * and 0.33 ms. And replicas that change between calm and restless by chance, seed 11: captures of the ten minutes after restless ones fail
     * six times as often.
     */
    private static List<EngineSample> engines() {
        List<EngineSample> all = new ArrayList<>();
        policy(all, "fixed", 200, 0, 20, new int[] {32, 32});
        policy(all, "unbuffered", 200, 37, 1_870, new int[] {16, 64});
        policy(all, "buffered", 250, 3, 330, new int[] {24, 40});
        SplittableRandom random = new SplittableRandom(11);
        for (int replica = 0; replica < REPLICAS; replica++) {
            boolean wasRestless = false;
            boolean isRestless = false;
            long captures = 0;
            long failures = 0;
            for (int minute = 0; minute < 10 * STUDIED; minute++) {
                if (minute % 10 == 0) {
                    wasRestless = isRestless;
                    isRestless = random.nextBoolean();
                }
                captures++;
                failures += random.nextDouble() < (wasRestless ? 0.24 : 0.04) ? 1 : 0;
                all.add(engine("studied-" + replica, "studied", minute)
                        .setGraphStepsTotal(600L * (minute + 1))
                        .setGraphCapturesTotal(captures)
                        .setGraphCaptureFailuresTotal(failures)
                        .setBatchSketch(sketch(600, isRestless ? new long[] {16, 48} : new long[] {29, 35}))
                        .build());
            }
        }
        for (int second = 0; second < 60; second++) {
            all.add(engine("skewed", "skewed", second)
                    .setSampledAtMicros(start + second * SECOND)
                    .setIntervalMicros(SECOND)
                    .setRunningRequests(8L)
                    .setWaitingRequests(4L)
                    .setMaxRequests(16L)
                    .build());
        }
        all.sort(Comparator.comparingLong(EngineSample::getSampledAtMicros));
        return all;
    }

    private static void policy(
            List<EngineSample> all, String name, long captures, long failures, long jitterMicros, int[] batches) {
        for (int minute = 0; minute <= 60; minute++) {
            EngineSample.Builder sample = engine(name, name, minute)
                    .setGraphStepsTotal(600L * (minute + 1))
                    // At start-up 35, of which none fails; then evenly over the hour.
                    .setGraphCapturesTotal(35 + captures * minute / 60)
                    .setGraphCaptureFailuresTotal(failures * minute / 60)
                    .setBatchSketch(sketch(600, batches[0], batches[1]))
                    .setStepSketch(sketch(600, 1_000 * (20_000 - jitterMicros), 1_000 * (20_000 + jitterMicros)))
                    .setStepSquares(300
                            * ((20_000 - jitterMicros) * (20_000 - jitterMicros)
                                    + (20_000 + jitterMicros) * (20_000 + jitterMicros)));
            all.add(sample.build());
        }
    }

    /** A reading at the end of a minute, so that what totals grew by since the one before falls into that. */
    private static EngineSample.Builder engine(String replica, String model, long minute) {
        return EngineSample.newBuilder()
                .setStream("table/" + replica)
                .setSequence(minute)
                .setSampledAtMicros(start + (minute + 1) * MINUTE - SECOND / 10)
                .setIntervalMicros(MINUTE)
                .setReplica(replica)
                .setModel(model)
                .setVersion("v1")
                .setMapping("1");
    }

    private static ByteBuffer sketch(int n, long... values) {
        QuantileSketch sketch = new QuantileSketch();
        for (long value : values) {
            sketch.add(value, n / values.length);
        }
        return ByteBuffer.wrap(SketchEncoding.encode(sketch));
    }

    @Test
    void capturesOfThreePoliciesOfBatching() {
        policy("fixed", 0, 0.02e-3);
        policy("unbuffered", 0.185, 1.87e-3);
        policy("buffered", 0.012, 0.33e-3);
    }

    private static void policy(String name, double failureShare, double jitterSeconds) {
        List<FigureResult> minutes = all("graph_capture", Map.of("replica", name));
        double captures = minutes.stream()
                .mapToLong(minute -> minute.getCounts().get("lazy_captures"))
                .sum();
        double failures = minutes.stream()
                .mapToLong(minute -> minute.getCounts().get("lazy_failures"))
                .sum();
        assertThat(failures / captures).as(name).isCloseTo(failureShare, within(0.001));
        for (FigureResult minute : minutes) {
            assertThat(minute.getValues().get("step_jitter_seconds"))
                    .as(name)
                    .isCloseTo(jitterSeconds * Math.sqrt(600 / 599.0), within(1e-8));
        }
        assertThat(one("graph_capture", Map.of("replica", name), start + MINUTE).getCounts())
                .as("a process that has just come up")
                .containsEntry("start_up_captures", 35L)
                .containsEntry("lazy_captures", 0L);
    }

    @Test
    void restlessBatchesAndFailedCapturesInWordsThatSayNoMoreThanWasShown() {
        FigureResult told = one("jitter_study", Map.of("model", "studied"), start + STUDIED * TEN_MINUTES);
        assertThat(told.getTexts().get("wording")).isIn("temporal_order_supported", "placebo_passed");
        assertThat(told.getValues().get("failure_ratio_low")).isGreaterThan(1);
        assertThat(told.getValues().get("lag_1_ratio"))
                .as("it is the window just before")
                .isGreaterThan(told.getValues().get("lag_2_ratio"));
        assertThat(told.getCounts()).containsEntry("replicas", (long) REPLICAS);
        assertThat(all("jitter_study", Map.of()))
                .extracting(study -> study.getTexts().get("wording"))
                .doesNotContain("cause");
    }

    /** Lengths that vary by 0.8 / root 2; half of the requests take half the time for a token and half of them one and a half. */
    private static List<RequestEvent> requests() {
        SkewedLengths lengths = new SkewedLengths(1_000, 0.8);
        List<RequestEvent> all = new ArrayList<>();
        for (int i = 0; i < 1_200; i++) {
            long length = lengths.length(i);
            long end = start + i * 50_000L;
            long micros = Math.round(5_000 * length * (i % 2 == 0 ? 0.5 : 1.5));
            all.add(RequestEvent.newBuilder()
                    .setStream("table/skewed")
                    .setSequence(i)
                    .setReplica("skewed")
                    .setModel("skewed")
                    .setVersion("v1")
                    .setTraffic(Traffic.PRODUCTION)
                    .setOutcome(Outcome.OK)
                    .setSource(Source.PROXY)
                    .setStartedAtMicros(end - micros)
                    .setCompletedAtMicros(end)
                    .setOutputTokens(length)
                    .setE2eMicros(micros)
                    .build());
        }
        return all;
    }

    @Test
    void aSchedulerUnderSkewedLengthsBesideAnIdealOne() {
        Map<String, Double> told =
                one("scheduler", Map.of("replica", "skewed"), start + MINUTE).getValues();
        double length = 0.8 / Math.sqrt(2);
        double latency = Math.sqrt((1 + length * length) * 1.25 - 1);
        assertThat(told.get("length_variation")).isCloseTo(length, within(0.01));
        assertThat(told.get("latency_variation")).isCloseTo(latency, within(0.02));
        assertThat(told.get("latency_sigma_seconds")).isCloseTo(5 * latency, within(0.1));
        assertThat(told.get("utilisation_variation")).isCloseTo(0.5, within(0.01));
        assertThat(told.get("fill_rate")).isCloseTo(0.5, within(1e-6));
        assertThat(told.get("ideal_fill_rate")).isCloseTo(0.75, within(1e-6));
        assertThat(told.get("deviation_index")).isCloseTo(Math.sqrt((0.04 + 0.04 + 1 / 9.0) / 3), within(0.01));
    }

    /** Half of the operations meet others and last 37.4 us longer, under the next schedule 6.4: 18.7 and 3.2 us for each of all. */
    private static List<OperatorMetric> operations() {
        List<OperatorMetric> all = new ArrayList<>();
        for (int minute = 0; minute < 2; minute++) {
            for (int slot = 0; slot < 200; slot++) {
                boolean isShared = slot % 2 == 1;
                double micros = (slot % 4 < 2 ? 195 : 205) + (isShared ? minute == 0 ? 37.4 : 6.4 : 0);
                long begin = start + minute * MINUTE + SECOND + slot * 10_000L;
                for (String unit : UNITS) {
                    all.add(OperatorMetric.newBuilder()
                            .setStream("table/units")
                            .setSequence(all.size())
                            .setMeasuredAtMicros(
                                    begin + (isShared ? 0 : UNITS.indexOf(unit) * 1_000L) + Math.round(micros))
                            .setReplica("multimodal")
                            .setGpu("GPU-shared")
                            .setName("modality_operation_seconds")
                            .setValue(micros * 1e-6)
                            .setGranularity(Granularity.FORWARD_PASS)
                            .setLabels(Map.of(
                                    "modality", unit, "size", "128", "schedule", minute == 0 ? "fifo" : "partitioned"))
                            .build());
                }
            }
        }
        all.sort(Comparator.comparingLong(OperatorMetric::getMeasuredAtMicros));
        return all;
    }

    @Test
    void timeThatUnitsLoseToEachOtherBeforeAndAfterAChangeOfTheSchedule() {
        for (String unit : UNITS) {
            Map<String, Double> before =
                    one("contention", Map.of("modality", unit), start + MINUTE).getValues();
            Map<String, Double> after = one("contention", Map.of("modality", unit), start + 2 * MINUTE)
                    .getValues();
            // Ends are told to the microsecond.
            assertThat(before.get("lost_seconds")).as(unit).isCloseTo(18.7e-6, within(0.3e-6));
            assertThat(after.get("lost_seconds")).as(unit).isCloseTo(3.2e-6, within(0.3e-6));
            assertThat(after.get("lost_change_seconds")).as(unit).isCloseTo(-15.5e-6, within(0.5e-6));
            assertThat(after.get("lost_change_high_seconds")).as(unit).isNegative();
        }
    }

    private static FigureResult one(String kind, Map<String, String> dimensions, long endMicros) {
        List<FigureResult> found = all(kind, dimensions).stream()
                .filter(result -> result.getWindowEndMicros() == endMicros)
                .filter(result -> result.getWindowMicros() == MINUTE || kind.equals("jitter_study"))
                .toList();
        assertThat(found).as(kind + ' ' + dimensions).hasSize(1);
        return found.get(0);
    }

    private static List<FigureResult> all(String kind, Map<String, String> dimensions) {
        return results.stream()
                .filter(FigureResult.class::isInstance)
                .map(FigureResult.class::cast)
                .filter(result -> result.getKind().equals(kind)
                        && dimensions.entrySet().stream().allMatch(wanted -> result.getDimensions()
                                .contains(new Dimension(wanted.getKey(), wanted.getValue()))))
                .toList();
    }
}
