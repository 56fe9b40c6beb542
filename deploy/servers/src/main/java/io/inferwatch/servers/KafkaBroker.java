package io.inferwatch.servers;

import java.io.IOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * A real Kafka broker (one node, KRaft) in a JVM of its own, on loopback. Started means that it has answered a metadata request. What was
 * acknowledged survives {@link #stop}, {@link #kill} and {@link #restart}, which keep port and data; a restart after a kill takes a few seconds, for
 * the old registration has to expire first. The broker ends with this JVM, however that ends. Not thread-safe.
 */
public final class KafkaBroker implements AutoCloseable {
    static final int NODE_ID = 1;
    private static final Duration START_PATIENCE = Duration.ofSeconds(60);
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(20);
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(20);
    private static final String HOST = "127.0.0.1";

    /**
     * How a broker is started.
     *
     * @param data its directory; null is a temporary one, removed at {@link KafkaBroker#close}
     * @param port 0 is a free port
     * @param heap as in {@code -Xmx}
     * @param quickStart whether its JVM takes the quick compiler and the serial collector: half the processor time to start,
     *     for a broker that lives for minutes; without it, it serves faster in the long run
     * @param settings Kafka's own broker settings, over the defaults here
     */
    public record Options(
            @Nullable Path data, int port, String heap, boolean quickStart, Map<String, String> settings) {
        private static final Options DEFAULTS = new Options(null, 0, "512m", false, Map.of());

        /** Data in a temporary directory, a free port, 512 MB of heap. */
        public static Options temporary() {
            return DEFAULTS;
        }

        /** Data in the given directory, which stays; a free port, 512 MB of heap. */
        public static Options in(Path data) {
            return new Options(data, 0, DEFAULTS.heap, false, Map.of());
        }

        /** The same on this port; 0 is a free one. */
        public Options withPort(int newPort) {
            return new Options(data, newPort, heap, quickStart, settings);
        }

        /** The same with this much heap, as in {@code -Xmx}. */
        public Options withHeap(String newHeap) {
            return new Options(data, port, newHeap, quickStart, settings);
        }

        /** The same that starts quickly, see {@link #quickStart}. */
        public Options withQuickStart() {
            return new Options(data, port, heap, true, settings);
        }

        /** The same with one more broker setting. */
        public Options withSetting(String key, String value) {
            Map<String, String> more = new TreeMap<>(settings);
            more.put(key, value);
            return new Options(data, port, heap, quickStart, more);
        }
    }

    private final Options options;
    private final DataDirectory data;
    private final int port;
    private final int controllerPort;

    @Nullable
    private ServerProcess process;

    private KafkaBroker(Options options, DataDirectory data, int port, int controllerPort) {
        this.options = options;
        this.data = data;
        this.port = port;
        this.controllerPort = controllerPort;
    }

    /** Starts a broker for a few minutes, in a temporary directory on a free port. */
    public static KafkaBroker start() {
        return start(Options.temporary().withQuickStart());
    }

    /** Starts a broker and returns when it answers; throws {@link ServerStartException} with the end of its log otherwise. */
    public static KafkaBroker start(Options options) {
        DataDirectory data = DataDirectory.of(options.data, "inferwatch-kafka-");
        List<Integer> free = ServerProcess.freePorts(2);
        int port = options.port == 0 ? free.get(0) : options.port;
        KafkaBroker broker = new KafkaBroker(options, data, port, free.get(1));
        try {
            broker.launch();
        } catch (RuntimeException e) {
            broker.close();
            throw e;
        }
        return broker;
    }

    /** Where clients connect: {@code 127.0.0.1:port}. */
    public String bootstrapServers() {
        return HOST + ":" + port;
    }

    /** The directory of data, configuration and log ({@code broker.log}). */
    public Path dataDirectory() {
        return data.path();
    }

    /** The process id while the broker runs. */
    public Optional<Long> pid() {
        return Optional.ofNullable(process).filter(ServerProcess::isAlive).map(ServerProcess::pid);
    }

    /** Creates the topic, replication 1, and returns when it can be used; one that exists already stays as it is. */
    public void createTopic(String name, int partitions, Map<String, String> settings) {
        try (Admin admin = admin()) {
            admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1).configs(settings)))
                    .all()
                    .get();
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw new IllegalStateException("topic " + name + " cannot be created: " + e.getCause(), e);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while topic " + name + " was created", e);
        }
    }

    /** Stops the broker cleanly; data and port stay for {@link #restart}. */
    public void stop() {
        if (process != null) {
            process.stop(STOP_PATIENCE);
        }
    }

    /** Deletes the topic with all that it holds; one that does not exist is no error. */
    public void deleteTopic(String name) {
        try (Admin admin = admin()) {
            admin.deleteTopics(List.of(name)).all().get();
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                throw new IllegalStateException("topic " + name + " cannot be deleted: " + e.getCause(), e);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while topic " + name + " was deleted", e);
        }
    }

    /** Kills the broker (SIGKILL) and returns when it is gone; data and port stay for {@link #restart}. */
    public void kill() {
        if (process != null) {
            process.kill();
        }
    }

    /** Starts the broker again on the same port and data, after stopping it if it still runs. */
    public void restart() {
        stop();
        launch();
    }

    /** Stops the broker and removes a temporary directory. */
    @Override
    public void close() {
        stop();
        data.release();
    }

    private void launch() {
        ServerProcess.requireFree("Kafka broker", port);
        Path configuration = data.path().resolve("broker.properties");
        try (Writer writer = Files.newBufferedWriter(configuration, StandardCharsets.UTF_8)) {
            brokerSettings().store(writer, null);
        } catch (IOException e) {
            throw new ServerStartException("Kafka broker: cannot write " + configuration + ": " + e, e);
        }
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        if (options.quickStart) {
            command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        }
        command.addAll(List.of(
                "-Xms64m",
                "-Xmx" + options.heap,
                "-XX:+ExitOnOutOfMemoryError",
                "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                "-Dlog4j2.configurationFile=classpath:io/inferwatch/servers/broker-log4j2.properties",
                "-cp",
                System.getProperty("java.class.path"),
                BrokerProcess.class.getName(),
                configuration.toString()));
        ServerProcess started = ServerProcess.start(
                "Kafka broker", command, Map.of(), data.path().resolve("broker.log"));
        process = started;
        started.awaitReady(this::isListening, START_PATIENCE);
        try (Admin admin = admin()) {
            started.awaitReady(() -> answersMetadata(admin), START_PATIENCE);
        }
    }

    private boolean isListening() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 200);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean answersMetadata(Admin admin) {
        try {
            return !admin.describeCluster().nodes().get(1, TimeUnit.SECONDS).isEmpty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }

    private Admin admin() {
        return Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers(),
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, Math.toIntExact(CALL_TIMEOUT.toMillis()),
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, Math.toIntExact(CALL_TIMEOUT.toMillis())));
    }

    private Properties brokerSettings() {
        Properties settings = new Properties();
        settings.put("process.roles", "broker,controller");
        settings.put("node.id", Integer.toString(NODE_ID));
        settings.put("controller.quorum.voters", NODE_ID + "@" + HOST + ":" + controllerPort);
        settings.put("listeners", "PLAINTEXT://" + HOST + ":" + port + ",CONTROLLER://" + HOST + ":" + controllerPort);
        settings.put("advertised.listeners", "PLAINTEXT://" + HOST + ":" + port);
        settings.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        settings.put("controller.listener.names", "CONTROLLER");
        settings.put("inter.broker.listener.name", "PLAINTEXT");
        settings.put("log.dirs", data.path().resolve("kafka").toString());
        settings.put("offsets.topic.replication.factor", "1");
        settings.put("offsets.topic.num.partitions", "1");
        settings.put("transaction.state.log.replication.factor", "1");
        settings.put("transaction.state.log.min.isr", "1");
        settings.put("transaction.state.log.num.partitions", "1");
        settings.put("share.coordinator.state.topic.replication.factor", "1");
        settings.put("share.coordinator.state.topic.min.isr", "1");
        settings.put("group.initial.rebalance.delay.ms", "0");
        settings.put("auto.create.topics.enable", "false");
        // A killed broker is registered until its session ends; only then may it come back. The default makes that 9 s;
        // on a busy
        // machine a session of 1.5 s ends while the broker lives.
        settings.put("broker.session.timeout.ms", "4000");
        settings.put("broker.heartbeat.interval.ms", "500");
        // The default takes 128 MB for a cleaner that has next to nothing to do here.
        settings.put("log.cleaner.dedupe.buffer.size", "2097152");
        settings.putAll(options.settings);
        return settings;
    }

    @Override
    public String toString() {
        return "Kafka broker " + bootstrapServers() + " on " + data.path();
    }
}
