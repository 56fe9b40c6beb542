package io.inferwatch.local.bench;

import io.inferwatch.jobs.JobDefaults;
import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.MeasureJob;
import io.inferwatch.jobs.MeasureSettings;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A child process of the pipeline bench: lets one contestant work through the requests topic and prints its {@link SteadyState}. Arguments: the
 * contestant, bootstrap servers, the number of records, a directory for its files, the broker's process id.
 */
public final class PipelineChild {
    static final int PARALLELISM = 2;
    static final Duration CHECKPOINT_INTERVAL = Duration.ofSeconds(5);

    private static final MemorySize ROCKSDB_MEMORY = MemorySize.ofMebiBytes(512);
    private static final String PEERS = "io.inferwatch.local.bench.peers.";

    private PipelineChild() {}

    /** A contestant that is built with the profile of peers only. */
    public interface Peer {
        /** Works through the whole topic; what consumers poll must be counted by the interceptor. */
        void run(Task task) throws Exception;
    }

    /**
     * What to do.
     *
     * @param records in the topic
     * @param directory for files, empty
     */
    public record Task(KafkaConnection kafka, long records, Path directory) {
        /** Consumer properties that count what is polled. */
        public Properties consumerProperties() {
            Properties properties = kafka.clientProperties();
            properties.put("interceptor.classes", PolledRecords.class.getName());
            properties.put("auto.offset.reset", "earliest");
            return properties;
        }
    }

    /** Called in the child process. */
    public static void main(String[] arguments) throws Exception {
        Contestant contestant =
                Contestant.valueOf(arguments[0].toUpperCase(Locale.ROOT).replace('-', '_'));
        Task task = new Task(KafkaConnection.to(arguments[1]), Long.parseLong(arguments[2]), Path.of(arguments[3]));
        SteadyState steady = SteadyState.of(task.records, Long.parseLong(arguments[4]), () -> run(contestant, task));
        System.out.println(steady.line());
        // A peer may leave threads behind.
        System.exit(0);
    }

    private static void run(Contestant contestant, Task task) throws Exception {
        switch (contestant) {
            case POLL -> poll(task, false);
            case DECODE -> poll(task, true);
            case MEASURE_HASHMAP -> measure(task, "hashmap", MetricCatalogue.shippedYaml());
            case MEASURE_ROCKSDB -> measure(task, "rocksdb", MetricCatalogue.shippedYaml());
            case MEASURE_AS_PEERS -> measure(task, "hashmap", peersYaml());
            case KAFKA_STREAMS -> peer("KafkaStreamsPeer").run(task);
            case FLINK_SQL -> peer("FlinkSqlPeer").run(task);
        }
    }

    private static Peer peer(String name) throws ReflectiveOperationException {
        return Class.forName(PEERS + name)
                .asSubclass(Peer.class)
                .getDeclaredConstructor()
                .newInstance();
    }

    /** Whether the peers were built. */
    static boolean hasPeers() {
        try {
            Class.forName(PEERS + "KafkaStreamsPeer", false, PipelineChild.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static void poll(Task task, boolean decode) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(PARALLELISM);
        List<Future<?>> threads = new ArrayList<>();
        for (int i = 0; i < PARALLELISM; i++) {
            int number = i;
            threads.add(executor.submit(() -> {
                poll(task, number, decode);
                return null;
            }));
        }
        for (Future<?> thread : threads) {
            thread.get();
        }
        executor.shutdown();
    }

    private static void poll(Task task, int number, boolean decode) throws UndecodableEventException {
        EventCodec codec = new EventCodec();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                task.consumerProperties(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(Topic.REQUESTS.topicName()).stream()
                    .filter(partition -> partition.partition() % PARALLELISM == number)
                    .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            long left = ends.values().stream().mapToLong(Long::longValue).sum();
            while (left > 0) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
                    left--;
                    if (decode) {
                        codec.decode(record.value());
                    }
                }
            }
        }
    }

    private static String peersYaml() throws IOException {
        try (InputStream yaml = PipelineChild.class.getResourceAsStream("peers.yaml")) {
            return new String(
                    Objects.requireNonNull(yaml, "peers.yaml is missing from the jar")
                            .readAllBytes(),
                    StandardCharsets.UTF_8);
        }
    }

    private static void measure(Task task, String stateBackend, String catalogue) throws Exception {
        Configuration configuration = JobDefaults.configuration();
        configuration.set(CoreOptions.DEFAULT_PARALLELISM, PARALLELISM);
        configuration.set(CoreOptions.TMP_DIRS, task.directory.toString());
        configuration.set(StateBackendOptions.STATE_BACKEND, stateBackend);
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, CHECKPOINT_INTERVAL);
        configuration.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
        configuration.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                task.directory.resolve("checkpoints").toUri().toString());
        configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, stateBackend.equals("rocksdb"));
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, ROCKSDB_MEMORY);
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        MeasureJob.build(
                environment,
                new MeasureJob.Sources(
                        MeasureJob.requests(task.kafka, catalogue)
                                .setProperty("interceptor.classes", PolledRecords.class.getName())
                                .setBounded(OffsetsInitializer.latest())
                                .build(),
                        MeasureJob.samples(task.kafka, catalogue)
                                .setBounded(OffsetsInitializer.latest())
                                .build()),
                MeasureJob.Sinks.kafka(task.kafka),
                catalogue,
                MeasureSettings.byDefault().withoutAlignment());
        environment.execute(MeasureJob.NAME);
    }
}
