package io.inferwatch.servers;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A Flink session cluster as production has it, on loopback: a JobManager and TaskManagers, each a JVM of its own, that take jobs by REST. A job's
 * classes come with its jar alone. TaskManagers can be killed (SIGKILL) and started. Every process ends with this JVM, however that ends. Not
 * thread-safe.
 */
public final class FlinkSession implements AutoCloseable {
    private static final Duration START_PATIENCE = Duration.ofSeconds(90);
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(20);
    private static final String HOST = "127.0.0.1";
    private static final String JOB_MANAGER = "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint";
    private static final String TASK_MANAGER = "org.apache.flink.runtime.taskexecutor.TaskManagerRunner";

    /** What Flink's own scripts open to it. */
    private static final List<String> OPENED = List.of(
            "java.base/java.lang",
            "java.base/java.net",
            "java.base/java.io",
            "java.base/java.nio",
            "java.base/sun.nio.ch",
            "java.base/java.lang.reflect",
            "java.base/java.text",
            "java.base/java.time",
            "java.base/java.util",
            "java.base/java.util.concurrent",
            "java.base/java.util.concurrent.atomic",
            "java.base/java.util.concurrent.locks");

    private static final String LOG_CONFIGURATION = """
        status = error
        appender.out.type = Console
        appender.out.name = out
        appender.out.layout.type = PatternLayout
        appender.out.layout.pattern = %d %-5p %c{1}: %m%n
        rootLogger.level = info
        rootLogger.appenderRef.out.ref = out
        """;

    /**
     * How a cluster is started.
     *
     * @param data its directory: configuration, logs, temporary files
     * @param classPath what Flink's distribution holds
     * @param plugins jars of metric reporters and the like, each a plugin of its own
     * @param slots of each TaskManager
     * @param settings Flink's own settings, over the defaults here
     */
    public record Options(
            Path data, List<Path> classPath, List<Path> plugins, int slots, Map<String, String> settings) {}

    /** One TaskManager. */
    public static final class TaskManager {
        private final String id;
        private final ServerProcess process;

        private TaskManager(String id, ServerProcess process) {
            this.id = id;
            this.process = process;
        }

        /** Its id in Flink. */
        public String id() {
            return id;
        }

        /** SIGKILL, with all that runs on it; returns when it is gone. */
        public void kill() {
            process.kill();
        }
    }

    private final Options options;
    private final int restPort;
    private final Path configuration;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<ServerProcess> processes = new ArrayList<>();
    private int started;

    private FlinkSession(Options options, int restPort, Path configuration) {
        this.options = options;
        this.restPort = restPort;
        this.configuration = configuration;
    }

    /** Starts a JobManager and returns when it answers; throws {@link ServerStartException} otherwise. */
    public static FlinkSession start(Options options) {
        List<Integer> ports = ServerProcess.freePorts(2);
        FlinkSession session = new FlinkSession(options, ports.get(0), options.data.resolve("conf"));
        try {
            session.writeConfiguration(ports.get(1));
            session.launch("JobManager", JOB_MANAGER, List.of())
                    .awaitReady(() -> session.answer("/overview").contains("slots-total"), START_PATIENCE);
            return session;
        } catch (RuntimeException e) {
            session.close();
            throw e;
        }
    }

    /** Where the REST interface and the web UI are. */
    public String url() {
        return "http://" + HOST + ":" + restPort;
    }

    /** Starts further TaskManagers and returns when they are registered. */
    public List<TaskManager> startTaskManagers(int count) {
        List<TaskManager> taskManagers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            started++;
            String id = "tm" + started;
            taskManagers.add(new TaskManager(
                    id, launch("TaskManager-" + id, TASK_MANAGER, List.of("-D", "taskmanager.resource-id=" + id))));
        }
        for (TaskManager taskManager : taskManagers) {
            taskManager.process.awaitReady(
                    () -> answer("/taskmanagers").contains("\"id\":\"" + taskManager.id + "\""), START_PATIENCE);
        }
        return taskManagers;
    }

    /** Stops every process; what jobs have stored stays. */
    @Override
    public void close() {
        for (int i = processes.size() - 1; i >= 0; i--) {
            processes.get(i).stop(STOP_PATIENCE);
        }
    }

    private ServerProcess launch(String name, String mainClass, List<String> arguments) {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx512m"));
        OPENED.forEach(opened -> command.add("--add-opens=" + opened + "=ALL-UNNAMED"));
        command.addAll(List.of(
                // It does not live long enough to earn back what a better compiler costs.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:MaxDirectMemorySize=320m",
                "-XX:MaxMetaspaceSize=256m",
                "-XX:+ExitOnOutOfMemoryError",
                "-Djava.io.tmpdir=" + temporary(),
                "-Dlog4j2.configurationFile=" + configuration.resolve("log4j2.properties"),
                "-cp",
                configuration
                        + File.pathSeparator
                        + options.classPath.stream()
                                .map(Path::toString)
                                .collect(Collectors.joining(File.pathSeparator)),
                mainClass,
                "--configDir",
                configuration.toString()));
        command.addAll(arguments);
        ServerProcess process = ServerProcess.start(
                "Flink " + name,
                command,
                Map.of("FLINK_PLUGINS_DIR", options.data.resolve("plugins").toString()),
                options.data.resolve(name + ".log"));
        processes.add(process);
        return process;
    }

    private void writeConfiguration(int rpcPort) {
        Map<String, String> settings = new TreeMap<>();
        settings.put("jobmanager.rpc.address", HOST);
        settings.put("jobmanager.rpc.port", Integer.toString(rpcPort));
        settings.put("jobmanager.bind-host", HOST);
        settings.put("rest.address", HOST);
        settings.put("rest.bind-address", HOST);
        settings.put("rest.port", Integer.toString(restPort));
        settings.put("rest.bind-port", Integer.toString(restPort));
        settings.put("taskmanager.host", HOST);
        settings.put("taskmanager.bind-host", HOST);
        settings.put("taskmanager.numberOfTaskSlots", Integer.toString(options.slots));
        settings.put("io.tmp.dirs", temporary().toString());
        settings.put("web.tmpdir", temporary().toString());
        // A job's tasks are on every TaskManager.
        settings.put("taskmanager.load-balance.mode", "SLOTS");
        // By default a TaskManager that was started before the JobManager tries again after 10 s.
        settings.put("cluster.registration.error-delay", "500 ms");
        settings.put("metrics.fetcher.update-interval", "1000");
        // What Flink's scripts work out.
        settings.put("taskmanager.cpu.cores", "1.0");
        settings.put("taskmanager.memory.task.heap.size", "384m");
        settings.put("taskmanager.memory.task.off-heap.size", "0m");
        settings.put("taskmanager.memory.managed.size", "128m");
        settings.put("taskmanager.memory.network.min", "64m");
        settings.put("taskmanager.memory.network.max", "64m");
        settings.put("taskmanager.memory.framework.heap.size", "128m");
        settings.put("taskmanager.memory.framework.off-heap.size", "128m");
        settings.put("taskmanager.memory.jvm-metaspace.size", "256m");
        settings.put("taskmanager.memory.jvm-overhead.min", "64m");
        settings.put("taskmanager.memory.jvm-overhead.max", "64m");
        settings.putAll(options.settings);
        try {
            Files.createDirectories(temporary());
            Files.createDirectories(configuration);
            Files.writeString(configuration.resolve("log4j2.properties"), LOG_CONFIGURATION);
            Files.writeString(
                    configuration.resolve("config.yaml"),
                    settings.entrySet().stream()
                            .map(entry ->
                                    entry.getKey() + ": '" + entry.getValue().replace("'", "''") + "'\n")
                            .collect(Collectors.joining()));
            for (Path plugin : options.plugins) {
                Path directory = Files.createDirectories(options.data
                        .resolve("plugins")
                        .resolve(plugin.getFileName().toString()));
                Files.copy(plugin, directory.resolve(plugin.getFileName()));
            }
        } catch (IOException e) {
            throw new ServerStartException("Flink: " + options.data + " must be writable: " + e, e);
        }
    }

    private Path temporary() {
        return options.data.resolve("tmp");
    }

    /** What the REST interface answers; empty when it does not. */
    private String answer(String path) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url() + path))
                .timeout(Duration.ofSeconds(2))
                .build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    @Override
    public String toString() {
        return "Flink " + url() + " on " + options.data;
    }
}
