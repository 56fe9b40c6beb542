package io.inferwatch.servers;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A real InfluxDB 1.x server in a process of its own, on loopback. Started means that it has answered a ping. What was acknowledged survives
 * {@link #stop}, {@link #kill} and {@link #restart}, which keep port and data. The server ends with this JVM, however that ends. Not thread-safe.
 */
public final class InfluxServer implements AutoCloseable {
    private static final Duration START_PATIENCE = Duration.ofSeconds(60);
    /** The first start of an image may have to fetch it. */
    private static final Duration IMAGE_PATIENCE = Duration.ofMinutes(5);

    private static final Duration STOP_PATIENCE = Duration.ofSeconds(20);
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);
    private static final String HOST = "127.0.0.1";

    /** The account that a server with authentication is given at its first start; it may do everything. */
    public record Admin(String user, String password) {
        @Override
        public String toString() {
            return "Admin[user=" + user + ", password=***]";
        }
    }

    /**
     * How a server is started.
     *
     * @param data its directory; null is a temporary one, removed at {@link InfluxServer#close}
     * @param port 0 is a free port
     * @param admin turns authentication on; null leaves it off
     * @param isCompactedEarly whether what is not written to any more is compacted at once, instead of hours later
     */
    public record Options(
            @Nullable Path data, int port, @Nullable Admin admin, boolean isCompactedEarly) {
        /** Data in a temporary directory, a free port, no authentication. */
        public static Options temporary() {
            return new Options(null, 0, null, false);
        }

        /** Data in the given directory, which stays; a free port, no authentication. */
        public static Options in(Path data) {
            return new Options(data, 0, null, false);
        }

        /** The same on this port; 0 is a free one. */
        public Options withPort(int newPort) {
            return new Options(data, newPort, admin, isCompactedEarly);
        }

        /** The same with authentication. */
        public Options withAdmin(String user, String password) {
            return new Options(data, port, new Admin(user, password), isCompactedEarly);
        }

        /** The same that soon has on disk what it would have after hours. */
        public Options compactedEarly() {
            return new Options(data, port, admin, true);
        }
    }

    private final InfluxProgram program;
    private final Options options;
    private final DataDirectory data;
    private final int port;
    private final int rpcPort;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CALL_TIMEOUT)
            .build();

    @Nullable
    private ServerProcess process;

    private InfluxServer(InfluxProgram program, Options options, DataDirectory data, int port, int rpcPort) {
        this.program = program;
        this.options = options;
        this.data = data;
        this.port = port;
        this.rpcPort = rpcPort;
    }

    /** Starts a server and returns when it answers; throws {@link ServerStartException} with the end of its log otherwise. */
    public static InfluxServer start(InfluxProgram program, Options options) {
        DataDirectory data = DataDirectory.of(options.data, "inferwatch-influxdb-");
        List<Integer> free = ServerProcess.freePorts(2);
        int port = options.port == 0 ? free.get(0) : options.port;
        InfluxServer server = new InfluxServer(program, options, data, port, free.get(1));
        try {
            server.launch();
            server.createAdmin();
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
        return server;
    }

    /** Where clients connect: {@code http://127.0.0.1:port}. */
    public String url() {
        return "http://" + HOST + ":" + port;
    }

    /** The directory of data, configuration and log ({@code influxd.log}). */
    public Path dataDirectory() {
        return data.path();
    }

    /** The process id while the server runs. */
    public Optional<Long> pid() {
        return Optional.ofNullable(process).filter(ServerProcess::isAlive).map(ServerProcess::pid);
    }

    /** Stops the server cleanly; data and port stay for {@link #restart}. */
    public void stop() {
        if (process != null) {
            process.stop(STOP_PATIENCE);
        }
    }

    /** Kills the server (SIGKILL) and returns when it is gone; data and port stay for {@link #restart}. */
    public void kill() {
        if (process != null) {
            if (program instanceof InfluxProgram.Image image) {
                // The client's death alone would leave the container running.
                killContainer(image);
            }
            process.kill();
        }
    }

    /** Starts the server again on the same port and data, after stopping it if it still runs. */
    public void restart() {
        stop();
        launch();
    }

    /** Stops the server and removes a temporary directory. */
    @Override
    public void close() {
        stop();
        data.release();
    }

    private void launch() {
        ServerProcess.requireFree("InfluxDB", port);
        ServerProcess started = ServerProcess.start(
                "InfluxDB (" + program.description() + ")",
                command(),
                Map.of(),
                data.path().resolve("influxd.log"));
        process = started;
        started.awaitReady(this::answersPing, program instanceof InfluxProgram.Image ? IMAGE_PATIENCE : START_PATIENCE);
    }

    private List<String> command() {
        if (program instanceof InfluxProgram.Image image) {
            writeConfiguration("0.0.0.0", 8086, 8088, "/var/lib/influxdb");
            return List.of(
                    image.docker().toString(),
                    "run",
                    "--rm",
                    "--name",
                    containerName(),
                    "--user",
                    ownerOf(data.path()),
                    "-p",
                    HOST + ":" + port + ":8086",
                    "-v",
                    data.path() + ":/var/lib/influxdb",
                    image.name(),
                    "influxd",
                    "-config",
                    "/var/lib/influxdb/influxdb.conf");
        }
        Path executable = ((InfluxProgram.Executable) program).path();
        Path configuration = writeConfiguration(HOST, port, rpcPort, data.path().toString());
        return List.of(executable.toString(), "-config", configuration.toString());
    }

    private Path writeConfiguration(String host, int httpPort, int backupPort, String directory) {
        Path file = data.path().resolve("influxdb.conf");
        String text = """
                reporting-disabled = true
                bind-address = "%1$s:%3$d"
                [meta]
                  dir = "%4$s/meta"
                [data]
                  dir = "%4$s/data"
                  wal-dir = "%4$s/wal"
                  # Every write would wait for it.
                  wal-fsync-delay = "0s"
                  cache-snapshot-write-cold-duration = "%6$s"
                  compact-full-write-cold-duration = "%7$s"
                  max-series-per-database = 0
                  query-log-enabled = false
                [monitor]
                  store-enabled = false
                [http]
                  bind-address = "%1$s:%2$d"
                  auth-enabled = %5$s
                  log-enabled = false
                  max-body-size = 0
                [logging]
                  level = "warn"
                  suppress-logo = true
                """.formatted(
                        host,
                        httpPort,
                        backupPort,
                        directory,
                        options.admin != null,
                        options.isCompactedEarly ? "2s" : "10m",
                        options.isCompactedEarly ? "2s" : "4h");
        try {
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new ServerStartException("InfluxDB: cannot write " + file + ": " + e, e);
        }
    }

    /** The first account of a server may be made without one; after that this is only a check of the password. */
    private void createAdmin() {
        Admin admin = options.admin;
        if (admin == null) {
            return;
        }
        String statement = "CREATE USER \"" + escaped(admin.user, '"') + "\" WITH PASSWORD '"
                + escaped(admin.password, '\'') + "' WITH ALL PRIVILEGES";
        String account = Base64.getEncoder()
                .encodeToString((admin.user + ":" + admin.password).getBytes(StandardCharsets.UTF_8));
        HttpRequest request = HttpRequest.newBuilder(URI.create(url() + "/query"))
                .timeout(CALL_TIMEOUT)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("Authorization", "Basic " + account)
                .POST(HttpRequest.BodyPublishers.ofString("q=" + URLEncoder.encode(statement, StandardCharsets.UTF_8)))
                .build();
        try {
            HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() != 200 || response.body().contains("\"error\"")) {
                throw new ServerStartException(
                        "InfluxDB at " + url() + ": account " + admin.user + " cannot be created: status "
                                + response.statusCode() + ", " + response.body().strip());
            }
        } catch (IOException e) {
            throw new ServerStartException(
                    "InfluxDB at " + url() + ": account " + admin.user + " cannot be created: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServerStartException("InfluxDB: interrupted while an account was created", e);
        }
    }

    private boolean answersPing() {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url() + "/ping"))
                .timeout(Duration.ofSeconds(1))
                .build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 204;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private String containerName() {
        return "inferwatch-influxdb-" + port;
    }

    private void killContainer(InfluxProgram.Image image) {
        try {
            new ProcessBuilder(image.docker().toString(), "kill", containerName())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new IllegalStateException("container " + containerName() + " cannot be killed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String ownerOf(Path directory) {
        try {
            return Files.getAttribute(directory, "unix:uid") + ":" + Files.getAttribute(directory, "unix:gid");
        } catch (IOException e) {
            throw new ServerStartException("InfluxDB: cannot tell the owner of " + directory, e);
        }
    }

    private static String escaped(String text, char quote) {
        return text.replace("\\", "\\\\").replace(String.valueOf(quote), "\\" + quote);
    }

    @Override
    public String toString() {
        return "InfluxDB " + url() + " on " + data.path();
    }
}
