package io.inferwatch.local.bench;

import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.KafkaTopics;
import io.inferwatch.jobs.MeasureSettings;
import io.inferwatch.schemas.Topic;
import io.inferwatch.servers.KafkaBroker;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code inferwatch bench samples}: what a fleet's samples cost. Publishes some event time of made-up GPUs and replicas, one sample a second of
 * each, lets MeasureJob and DetectJob work through it, and tells their processor time for a second of it, and their state by savepoints; then
 * the same for twice as long, so that state which grows is seen.
 */
@Command(
        name = "samples",
        description = "Processor time and state of the jobs for a fleet's samples, against real time.",
        mixinStandardHelpOptions = true)
final class SamplesBenchCommand implements Callable<Integer> {
    private static final int PARTITIONS = 4;
    private static final Duration PATIENCE = Duration.ofMinutes(20);
    private static final Duration SETTLED = Duration.ofSeconds(12);
    private static final long NO_PROCESS = -1;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--gpus", defaultValue = "1000", description = "GPUs (default: ${DEFAULT-VALUE}).")
    private int gpus;

    @Option(names = "--replicas", defaultValue = "1000", description = "Replicas (default: ${DEFAULT-VALUE}).")
    private int replicas;

    @Option(
            names = "--minutes",
            defaultValue = "10",
            description = "Event time of the first run; the second takes twice as long (default: ${DEFAULT-VALUE}).")
    private int minutes;

    /** What a run came to. */
    private record Run(long samples, int seconds, double processorSeconds, long measureBytes, long detectBytes) {}

    @Override
    public Integer call() throws Exception {
        CommandSpec command = Objects.requireNonNull(spec);
        if (gpus < 1 || replicas < 1 || minutes < 1) {
            throw new ParameterException(
                    command.commandLine(),
                    "--gpus, --replicas, --minutes: must be at least 1, found " + gpus + ", " + replicas + ", "
                            + minutes);
        }
        PrintWriter out = command.commandLine().getOut();
        out.printf(
                Locale.ROOT,
                "%,d GPUs and %,d replicas, a sample a second of each: %,d samples/s%n",
                gpus,
                replicas,
                gpus + replicas);
        out.println("| event time | samples | processor time | for a second of event time | real time takes"
                + " | state of measure, bytes a device | of detect, bytes a device |");
        out.println("|---:|---:|---:|---:|---:|---:|---:|");
        for (int length : List.of(minutes, 2 * minutes)) {
            print(out, run(60 * length, command.commandLine().getErr()));
        }
        return 0;
    }

    private Run run(int seconds, PrintWriter progress) throws Exception {
        Path directory = Files.createTempDirectory("inferwatch-bench-");
        try (KafkaBroker broker = KafkaBroker.start()) {
            KafkaConnection kafka = KafkaConnection.to(broker.bootstrapServers());
            KafkaTopics.create(kafka, PARTITIONS, (short) 1);
            long start = 1_000 * (Instant.now().toEpochMilli() - 1_000L * seconds);
            long samples = new SampleLoad(gpus, replicas, seconds, start).publish(kafka);
            progress.printf(Locale.ROOT, "%,d samples of %d s; the jobs work through them%n", samples, seconds);
            progress.flush();
            ProcessorTime before = ProcessorTime.now(NO_PROCESS);
            try (BenchJobs jobs = new BenchJobs(directory, kafka)) {
                jobs.measure(MeasureSettings.parse("bench samples", "alignment-drift: 1h"));
                jobs.detect();
                double spent = settled(kafka, before);
                return new Run(
                        samples,
                        seconds,
                        spent,
                        SizingBenchCommand.bytes(jobs.stop("measure")),
                        SizingBenchCommand.bytes(jobs.stop("detect")));
            }
        } finally {
            ChildProcess.delete(directory);
        }
    }

    /** Processor time until the last result, once no more have come for a while. */
    private static double settled(KafkaConnection kafka, ProcessorTime before) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        long last = 0;
        long since = System.nanoTime();
        double spent = 0;
        while (System.nanoTime() < deadline) {
            long now = records(kafka);
            if (now != last) {
                last = now;
                since = System.nanoTime();
                spent = ProcessorTime.now(NO_PROCESS).since(before).own();
            } else if (now > 0 && System.nanoTime() - since > SETTLED.toNanos()) {
                return spent;
            }
            LockSupport.parkNanos(Duration.ofMillis(500).toNanos());
        }
        throw new IllegalStateException("results still came after " + PATIENCE.toMinutes() + " minutes");
    }

    /** What both jobs have published so far. */
    private static long records(KafkaConnection kafka) {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                kafka.clientProperties(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = Stream.of(Topic.WINDOWS, Topic.RESULTS)
                    .flatMap(topic -> consumer.partitionsFor(topic.topicName()).stream())
                    .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
                    .toList();
            return consumer.endOffsets(partitions).values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
        }
    }

    private void print(PrintWriter out, Run run) {
        double each = run.processorSeconds / run.seconds;
        int devices = gpus + replicas;
        out.printf(
                Locale.ROOT,
                "| %d s | %,d | %.1f s | %.3f s | %.1f times as long | %,d | %,d |%n",
                run.seconds,
                run.samples,
                run.processorSeconds,
                each,
                1 / each,
                run.measureBytes / devices,
                run.detectBytes / devices);
        out.flush();
    }
}
