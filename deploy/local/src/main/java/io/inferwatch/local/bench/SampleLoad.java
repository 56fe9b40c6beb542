package io.inferwatch.local.bench;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.GpuProcess;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.GpuState;
import io.inferwatch.schemas.Topic;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Samples of a made-up fleet, one a second of each GPU and each replica, with all that bottlenecks, placement, captures and schedulers read.
 *
 * @param startMicros of the first second, epoch microseconds
 */
record SampleLoad(int gpus, int replicas, int seconds, long startMicros) {
    private static final long SECOND = 1_000_000;
    private static final long SEED = 7;
    private static final long GIGABYTE = 1_000_000_000L;

    /** Publishes all of them in the order of time, and returns how many. */
    long publish(KafkaConnection kafka) {
        var properties = kafka.clientProperties();
        properties.put("linger.ms", "20");
        properties.put("compression.type", "lz4");
        EventCodec codec = new EventCodec();
        SplittableRandom random = new SplittableRandom(SEED);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int second = 0; second < seconds; second++) {
                long at = startMicros + second * SECOND;
                for (int i = 0; i < gpus; i++) {
                    send(producer, codec, Topic.GPU, "GPU-" + i, gpu(i, second, at, random));
                }
                for (int i = 0; i < replicas; i++) {
                    send(producer, codec, Topic.ENGINE, "replica-" + i, engine(i, second, at, random));
                }
            }
            producer.flush();
        }
        return (long) seconds * (gpus + replicas);
    }

    private static void send(
            KafkaProducer<byte[], byte[]> producer, EventCodec codec, Topic topic, String key, SpecificRecord sample) {
        var unused = producer.send(
                new ProducerRecord<>(topic.topicName(), key.getBytes(StandardCharsets.UTF_8), codec.encode(sample)));
    }

    private static GpuSample gpu(int number, int second, long at, SplittableRandom random) {
        GpuProcess process = new GpuProcess();
        process.setPid(1_000 + number);
        process.setName("vllm");
        process.setCpusAllowed("0-31");
        process.setFarFromDevice(number % 100 == 0);
        return GpuSample.newBuilder()
                .setStream("bench/GPU-" + number)
                .setSequence(second)
                .setSampledAtMicros(at)
                .setIntervalMicros(SECOND)
                .setGpu("GPU-" + number)
                .setNode("node-" + number / 8)
                .setReplica("replica-" + number)
                .setModel("bench")
                .setVersion("v1")
                .setOrigin("nvml")
                .setState(GpuState.OK)
                .setTotalBytes(80 * GIGABYTE)
                .setUsedBytes(70 * GIGABYTE)
                .setFreeBytes(10 * GIGABYTE)
                .setBusyPpm(random.nextLong(1_000_000))
                .setTensorActivePpm(random.nextLong(1_000_000))
                .setDramActivePpm(random.nextLong(1_000_000))
                .setReadingsApartMicros(0L)
                .setPowerMilliwatts(random.nextLong(700_000))
                .setPcieSentBytesTotal(second * GIGABYTE)
                .setPcieReceivedBytesTotal(2L * second * GIGABYTE)
                .setPcieMaxBytesPerSecond(63 * GIGABYTE)
                .setNvlinkSentBytesTotal(100L * second * GIGABYTE)
                .setNvlinkReceivedBytesTotal(100L * second * GIGABYTE)
                .setNvlinkMaxBytesPerSecond(478 * GIGABYTE)
                .setNumaNode(0)
                .setCpuAffinity("0-31")
                .setProcesses(List.of(process))
                .build();
    }

    private static EngineSample engine(int number, int second, long at, SplittableRandom random) {
        QuantileSketch batches = new QuantileSketch();
        QuantileSketch steps = new QuantileSketch();
        long squares = 0;
        for (int i = 0; i < 40; i++) {
            long micros = 20_000 + random.nextLong(10_000);
            batches.add(16 + random.nextLong(48));
            steps.add(1_000 * micros);
            squares += micros * micros;
        }
        return EngineSample.newBuilder()
                .setStream("bench/replica-" + number)
                .setSequence(second)
                .setSampledAtMicros(at)
                .setIntervalMicros(SECOND)
                .setReplica("replica-" + number)
                .setModel("bench")
                .setVersion("v1")
                .setEngine("vllm")
                .setMapping("1")
                .setRunningRequests(random.nextLong(64))
                .setWaitingRequests(random.nextLong(16))
                .setMaxRequests(64L)
                .setKvUsagePpm(random.nextLong(1_000_000))
                .setGeneratedTokensTotal(second * 1_500L)
                .setGraphStepsTotal(second * 38L)
                .setEagerStepsTotal(second * 2L)
                .setGraphCapturesTotal(35 + second / 20L)
                .setGraphCaptureFailuresTotal(second / 200L)
                .setBatchSketch(ByteBuffer.wrap(SketchEncoding.encode(batches)))
                .setStepSketch(ByteBuffer.wrap(SketchEncoding.encode(steps)))
                .setStepSquares(squares)
                .build();
    }
}
