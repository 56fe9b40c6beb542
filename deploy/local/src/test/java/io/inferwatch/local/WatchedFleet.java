package io.inferwatch.local;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Evidence;
import io.inferwatch.schemas.GpuProcess;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.GpuState;
import io.inferwatch.schemas.Granularity;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.KernelProfile;
import io.inferwatch.schemas.OperatorMetric;
import io.inferwatch.schemas.Profiler;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Setting;
import io.inferwatch.schemas.Severity;
import io.inferwatch.schemas.Topic;
import io.inferwatch.simulation.fleet.FleetSink;
import io.inferwatch.simulation.fleet.PoissonLoad;
import io.inferwatch.simulation.fleet.VirtualFleet;
import io.inferwatch.simulation.serving.Fault;
import io.inferwatch.simulation.serving.Guardrail;
import io.inferwatch.simulation.serving.ServerSpec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * What six simulated servers, their engines and GPUs would have published until now, seed 11: two models, a new version on two servers, a slow node at the end; and the alert that such a node
 * should raise.
 */
final class WatchedFleet implements AutoCloseable {
    static final int SERVERS = 6;
    private static final long SEED = 11;
    private static final String SLOW = "replica-1";
    private static final int GROWING = 5;
    private static final String LLAMA = "simulated-llama-3.1-8b";
    private static final List<String> STRUCTURES = List.of("plain", "json", "xml");
    private static final List<String> UNITS = List.of("text", "image", "audio");
    private static final List<String> NEAR = List.of("0-31", "32-63");
    private static final Duration SAMPLE_INTERVAL = Duration.ofSeconds(5);
    /** Of a GPU for each of an engine: thirty a minute tell how its utilisation varies. */
    private static final int GPU_READINGS = 3;

    private static final long GPU_INTERVAL_MICROS = SAMPLE_INTERVAL.toMillis() * 1_000 / GPU_READINGS;
    private static final long GIBIBYTE = 1L << 30;

    /** Which the slow node breaks, so that its budget will be spent. */
    private static final String OBJECTIVE = """
            apiVersion: openslo/v1
            kind: SLO
            metadata: {name: chat}
            spec:
              service: chat
              indicator:
                metadata: {name: fast}
                spec:
                  thresholdMetric:
                    metricSource: {type: inferwatch, spec: {metric: ttft, view: model-version, unit: ms}}
              timeWindow: [{duration: 1d, isRolling: true}]
              budgetingMethod: Occurrences
              objectives: [{op: lte, value: 100, target: 0.99}]
            """;

    private final EventCodec codec = new EventCodec();
    private final KafkaProducer<byte[], byte[]> producer;
    private final Instant start;
    private final Duration span;
    private long requests;

    WatchedFleet(KafkaConnection kafka, Instant start, Instant end) {
        this.start = start;
        this.span = Duration.between(start, end);
        var properties = kafka.clientProperties();
        properties.put("linger.ms", "5");
        properties.put("bootstrap.servers", kafka.bootstrapServers());
        producer = new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** How many requests were published. */
    long requests() {
        return requests;
    }

    void publish() {
        publishRequests();
        publishSamples();
        publishProfiles();
        String padding = "{boundaries: [256, 1024, 4096, 16384], count: 8}";
        send(
                Topic.CONFIG,
                "layer/" + LLAMA,
                new Setting("layer", LLAMA, micros(start), "{full: 8, sliding: 24, window-tokens: 128}"));
        send(Topic.CONFIG, "padding/" + LLAMA, new Setting("padding", LLAMA, micros(start), padding));
        send(Topic.CONFIG, "slo/chat", new Setting("slo", "chat", micros(start), OBJECTIVE));
        AnomalousHistory.publish(start, span, result -> send(Topic.RESULTS, result.getKind(), result));
        send(
                Topic.CONFIG,
                "price/A100",
                new Setting("price", "A100", micros(start), "{dollars-per-hour: 3.20, relative-throughput: 1}"));
        send(
                Topic.CONFIG,
                "price/H100",
                new Setting("price", "H100", micros(start), "{dollars-per-hour: 4.60, relative-throughput: 1.62}"));
        publishAlerts();
        producer.flush();
    }

    @Override
    public void close() {
        producer.close();
    }

    private void publishRequests() {
        FleetSink sink = new FleetSink() {
            @Override
            public void accept(RequestEvent event) {
                requests++;
                tell(event);
                send(Topic.REQUESTS, event.getReplica(), event);
            }

            @Override
            public void accept(Heartbeat heartbeat) {
                send(Topic.REQUESTS, heartbeat.getReplica(), heartbeat);
            }
        };
        VirtualFleet fleet = new VirtualFleet(
                "page",
                IntStream.range(0, SERVERS)
                        .mapToObj(i -> ServerSpec.usual(i, SEED)
                                .withModel(i < 4 ? LLAMA : LLAMA + "-instruct")
                                .withGuardrail(i % 2 == 0 ? Guardrail.INLINE : Guardrail.SIDECAR))
                        .toList(),
                PoissonLoad.of(11, SEED),
                start,
                sink);
        fleet.switchOn(span.minusMinutes(22), "replica-2", Fault.SLOWER_VERSION, 1.3);
        fleet.switchOn(span.minusMinutes(20), "replica-3", Fault.SLOWER_VERSION, 1.3);
        fleet.switchOn(span.minusMinutes(16), "replica-0", Fault.ERROR_BURST, 0.05);
        fleet.switchOff(span.minusMinutes(14), "replica-0", Fault.ERROR_BURST);
        fleet.switchOn(span.minusMinutes(9), SLOW, Fault.SLOW_NODE, 2.5);
        fleet.run(span);
    }

    /** What clients and gateways would tell, and replicas by their settings: every third prompt in JSON, every third in XML; two of four servers quantised. */
    private static void tell(RequestEvent event) {
        int kind = (int) (event.getSequence() % STRUCTURES.size());
        Long tokens = event.getPromptTokens();
        if (tokens != null) {
            // Of few lengths, so that each has requests enough for limits.
            double characters = Math.pow(4, Math.rint(Math.log(4.0 * tokens) / Math.log(4)));
            event.setPromptStructure(STRUCTURES.get(kind));
            event.setPromptCharacters(Math.round(characters));
            event.setPromptTokens(Math.round(tokens * (1 + 0.5 * kind)));
            event.setTokenizeMicros(Math.round(2 * Math.pow(characters, 1.1) * (1 + 0.1 * (event.getSequence() % 7))));
        }
        event.setParseMicros(400 + 10 * (event.getSequence() % 11));
        event.setTemplateMicros(900 + 30 * (event.getSequence() % 13));
        event.setConversationState(event.getSequence() % 2 == 0 ? "kept" : "stateless");
        event.setConfigurationName(configuration(event.getReplica()));
    }

    private static String configuration(String replica) {
        return replica.compareTo("replica-2") < 0 ? "default" : "awq";
    }

    /** Engines and GPUs that breathe with a wave of load, each at its own phase; in the order of event time, as probes would publish them. */
    private void publishSamples() {
        SplittableRandom random = new SplittableRandom(SEED);
        long samples = span.dividedBy(SAMPLE_INTERVAL);
        for (long i = 0; i < samples; i++) {
            for (int server = 0; server < SERVERS; server++) {
                Instant at = start.plus(SAMPLE_INTERVAL.multipliedBy(i)).plusMillis(100L * server);
                double load = 0.5 + 0.3 * Math.sin(i / 40.0 + server) + 0.1 * random.nextDouble();
                EngineSample engine = engine(server, i, micros(at), load);
                List<GpuSample> gpus = new ArrayList<>();
                for (int reading = 0; reading < GPU_READINGS; reading++) {
                    gpus.add(gpu(server, GPU_READINGS * i + reading, micros(at) + reading * GPU_INTERVAL_MICROS, load));
                }
                if (server == GROWING) {
                    double jitter = random.nextDouble();
                    for (GpuSample gpu : gpus) {
                        grow(engine, gpu, (double) i / samples, jitter);
                    }
                }
                send(Topic.ENGINE, "replica-" + server, engine);
                for (GpuSample gpu : gpus) {
                    send(Topic.GPU, "GPU-" + server, gpu);
                }
            }
        }
    }

    /** Memory that fills little by little, and an engine that counts the tokens in its cache. */
    private static void grow(EngineSample engine, GpuSample gpu, double past, double noise) {
        long blocks = Math.round(6_144 * (0.2 + 0.4 * past + 0.02 * noise));
        engine.setKvUsagePpm(1_000_000 * blocks / 6_144);
        engine.setKvUsedBlocks(blocks);
        engine.setKvUsedTokens(14 * blocks);
        engine.setKvEvictableTokens(16 * 300L);
        gpu.setUsedBytes(Math.round((30 + 25 * past + noise) * GIBIBYTE));
        gpu.setAllocatorReservedBytes(gpu.getUsedBytes() - GIBIBYTE);
        gpu.setAllocatedBytes(gpu.getUsedBytes() - 6 * GIBIBYTE);
    }

    private static EngineSample engine(int server, long i, long atMicros, double load) {
        QuantileSketch batches = new QuantileSketch();
        batches.add(Math.round(4 + 40 * load), 20);
        return EngineSample.newBuilder()
                .setStream("page/replica-" + server)
                .setSequence(i)
                .setSampledAtMicros(atMicros)
                .setIntervalMicros(SAMPLE_INTERVAL.toMillis() * 1000)
                .setReplica("replica-" + server)
                .setNode("node-" + server)
                .setPool("pool-0")
                .setModel(LLAMA)
                .setVersion("v1")
                .setEngine("vllm")
                .setMapping("1")
                .setScrapeMicros(Math.round(3_000 + 2_000 * load))
                .setRunningRequests(Math.round(60 * load))
                .setWaitingRequests(Math.round(Math.max(0, load - 0.6) * 40))
                .setMaxRequests(64L)
                .setGpuUuids(List.of("GPU-" + server))
                .setDecodeTokens(Math.round(60 * load * 900))
                .setKvUsagePpm(Math.round(1_000_000 * Math.min(0.97, 0.25 + 0.8 * load)))
                .setKvBlockTokens(16L)
                .setKvTotalBlocks(6_144L)
                .setWeightBytes(15 * GIBIBYTE)
                .setKvCacheBytes(12 * GIBIBYTE)
                .setGraphBytes(GIBIBYTE)
                .setGeneratedTokensTotal(i * 6_000 + Math.round(1_000 * load))
                .setPrefixQueriedTotal(i * 1_000)
                .setPrefixHitTotal(Math.round(i * 1_000 * (0.45 + 0.05 * server)))
                .setPreemptionsTotal(i / (30 + 10L * server))
                .setFailedTotal(i / 200)
                .setDraftTokensTotal(i * 300)
                .setAcceptedTokensTotal(i * (200 + 5L * server))
                .setGraphStepsTotal(i * 18)
                .setEagerStepsTotal(i * 2)
                .setGraphCapturesTotal(20 + i / 10)
                .setGraphCaptureFailuresTotal(1 + i / (60 + 20L * server))
                .setBatchSketch(ByteBuffer.wrap(SketchEncoding.encode(batches)))
                .build();
    }

    private static GpuSample gpu(int server, long i, long atMicros, double load) {
        return GpuSample.newBuilder()
                .setStream("page/GPU-" + server)
                .setSequence(i)
                .setSampledAtMicros(atMicros)
                .setIntervalMicros(GPU_INTERVAL_MICROS)
                .setGpu("GPU-" + server)
                .setNode("node-" + server)
                .setReplica("replica-" + server)
                .setPool("pool-0")
                .setModel(LLAMA)
                .setConfigurationName(configuration("replica-" + server))
                .setName("NVIDIA A100-SXM4-80GB")
                .setCgroupMemoryBytes(Math.round((20 + 8 * load) * GIBIBYTE))
                .setCgroupMemoryLimitBytes(32 * GIBIBYTE)
                .setCgroupCpuTotalMicros(i * 5_000_000)
                .setCgroupCpuLimitPpm(8_000_000L)
                .setCgroupThrottledTotalMicros(i * 20_000)
                .setOrigin("nvml")
                .setState(GpuState.OK)
                .setAgesMicros(Map.of())
                .setTotalBytes(80 * GIBIBYTE)
                .setUsedBytes(Math.round((30 + 45 * load) * GIBIBYTE))
                .setAllocatedBytes(Math.round((29 + 40 * load) * GIBIBYTE))
                .setAllocatorReservedBytes(Math.round((29 + 45 * load) * GIBIBYTE))
                .setInactiveSplitBytes(Math.round(load * 3 * GIBIBYTE))
                .setLargestFreeBlockBytes(Math.round(load * GIBIBYTE))
                .setLargestRequestBytes(GIBIBYTE)
                .setUnusableFreeBytes(Math.round(load * 2 * GIBIBYTE))
                .setAllocationRetriesTotal(i / 120)
                .setOutOfMemoryTotal(i / 400)
                .setBusyPpm(Math.round(1_000_000 * Math.min(1, 0.2 + load)))
                .setTensorActivePpm(Math.round(500_000 * load))
                .setDramActivePpm(Math.round(1_100_000 * load))
                .setReadingsApartMicros(0L)
                .setPcieSentBytesTotal(Math.round(i * 4e9))
                .setPcieReceivedBytesTotal(Math.round(i * 9e9))
                .setPcieMaxBytesPerSecond(31_507_692_304L)
                .setNvlinkSentBytesTotal(Math.round(i * 150e9))
                .setNvlinkReceivedBytesTotal(Math.round(i * 150e9))
                .setNvlinkMaxBytesPerSecond(300_000_000_000L)
                .setNumaNode(server % 2)
                .setCpuAffinity(NEAR.get(server % 2))
                .setProcesses(List.of(process(server)))
                .setPowerMilliwatts(Math.round(90_000 + 260_000 * load))
                .setTemperatureCelsius(Math.round(38 + 30 * load))
                .setSmClockMegahertz(server == 1 ? 1_095L : 1_410L)
                .setPowerThrottledTotalMicros(server == 1 ? i * 400_000 : i * 5_000)
                .setThermalThrottledTotalMicros(server == 1 ? i * 90_000 : 0)
                .setXidEventsTotal(server == 4 ? i / 300 : 0)
                .setEccUncorrectedTotal(server == 4 ? i / 250 : 0)
                .build();
    }

    /** One of them is bound to the other socket. */
    private static GpuProcess process(int server) {
        boolean isFar = server == SERVERS - 1;
        GpuProcess process = new GpuProcess();
        process.setPid(4_000 + server);
        process.setName("vllm");
        process.setCpusAllowed(NEAR.get((server + (isFar ? 1 : 0)) % 2));
        process.setFarFromDevice(isFar);
        return process;
    }

    /** Units of one device, half of whose operations meet, before and after their schedule was changed; and a profile of each source. */
    private void publishProfiles() {
        long last = micros(start.plus(span.minusMinutes(3)));
        long sequence = 0;
        for (int slot = 0; slot < 200; slot++) {
            boolean isChanged = slot >= 100;
            for (String unit : UNITS) {
                boolean isShared = slot % 2 == 1;
                double lost = isChanged ? 6e-6 : 37e-6;
                double seconds = 200e-6 + (isShared ? lost : 0) + (slot % 4 < 2 ? 5e-6 : 0);
                long begin = last
                        - (isChanged ? 0 : 60_000_000L)
                        + slot * 10_000L
                        + (isShared ? 0 : UNITS.indexOf(unit) * 1_000L);
                send(
                        Topic.OPERATORS,
                        "replica-0",
                        OperatorMetric.newBuilder()
                                .setStream("page/units")
                                .setSequence(sequence++)
                                .setMeasuredAtMicros(begin + Math.round(seconds * 1e6))
                                .setReplica("replica-0")
                                .setGpu("GPU-0")
                                .setModel(LLAMA)
                                .setName("modality_operation_seconds")
                                .setValue(seconds)
                                .setGranularity(Granularity.FORWARD_PASS)
                                .setLabels(Map.of("modality", unit, "schedule", isChanged ? "partitioned" : "fifo"))
                                .build());
            }
        }
        for (Profiler profiler : List.of(Profiler.CUDA_EVENTS, Profiler.KINETO, Profiler.NSIGHT_COMPUTE)) {
            send(
                    Topic.KERNELS,
                    "replica-0",
                    KernelProfile.newBuilder()
                            .setStream("page/profiles")
                            .setSequence(profiler.ordinal())
                            .setProfiledAtMicros(last)
                            .setReplica("replica-0")
                            .setModel(LLAMA)
                            .setProfiler(profiler)
                            .setProfile(profiler.name())
                            .setKernel("flash_fwd")
                            .setStage("attention")
                            .setPrecision("fp16+int4")
                            .setCalls(100)
                            .setDurationTotalNanos(10_000_000L + 1_000_000L * profiler.ordinal())
                            .setL1HitPpm(620_000L)
                            .setInstructionsPerCyclePpm(1_700_000L)
                            .setL2Requests(1_000_000L)
                            .setL2Hits(653_000L)
                            .setL2Bytes(18_900_000L)
                            .build());
        }
    }

    private void publishAlerts() {
        Instant end = start.plus(span);
        send(Topic.ALERTS, "slow-node-1", alert(AlertState.FIRING, end.minus(Duration.ofMinutes(7))));
        Alert burst = Alert.newBuilder(alert(AlertState.FIRING, end.minus(Duration.ofMinutes(15))))
                .setFingerprint("errors-0")
                .setName("InferwatchErrorBurst")
                .setSeverity(Severity.TICKET)
                .setSummary("replica-0 fails 5 % of its requests")
                .setEvidence(List.of(new Evidence("failed requests in percent", 5.0, 0.0, "replica-0 in two minutes")))
                .setCauses(List.of("replica replica-0"))
                .build();
        send(Topic.ALERTS, "errors-0", burst);
        Instant over = end.minus(Duration.ofMinutes(12));
        send(
                Topic.ALERTS,
                "errors-0",
                Alert.newBuilder(burst)
                        .setState(AlertState.RESOLVED)
                        .setChangedAtMicros(micros(over))
                        .setEndsAtMicros(micros(over))
                        .build());
    }

    private static Alert alert(AlertState state, Instant at) {
        return Alert.newBuilder()
                .setFingerprint("slow-node-1")
                .setName("InferwatchSlowNode")
                .setState(state)
                .setSeverity(Severity.PAGE)
                .setStartsAtMicros(micros(at.minusSeconds(60)))
                .setChangedAtMicros(micros(at))
                .setLabels(Map.of("node", "node-1", "model", LLAMA))
                .setSummary("TTFT P99 of node-1 is 2.6 times that of its peers")
                .setEvidence(List.of(
                        new Evidence("TTFT P99 in seconds", 1.31, 0.51, "node-1 against its pool"),
                        new Evidence("SM clock in MHz", 1095.0, 1410.0, null)))
                .setCauses(List.of("node node-1", "GPU clock"))
                .build();
    }

    private void send(Topic topic, String key, SpecificRecord record) {
        var unused = producer.send(
                new ProducerRecord<>(topic.topicName(), key.getBytes(StandardCharsets.UTF_8), codec.encode(record)));
    }

    private static long micros(Instant at) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, at);
    }
}
