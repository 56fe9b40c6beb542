package io.inferwatch.servers;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real Alertmanager in a process of its own, on loopback, without a cluster. Started means that it has answered that it is ready. Silences and what was
 * notified survive {@link #stop} and {@link #restart}, which keep port and data; alerts do not, as they never do. Not thread safe.
 */
public final class AlertmanagerServer implements AutoCloseable {
    private static final Duration START_PATIENCE = Duration.ofSeconds(60);
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(20);
    private static final String HOST = "127.0.0.1";

    /** Debian's program looks for its own files in one place alone; an unpacked one is shown its own there. */
    private static final Path SHARED = Path.of("/usr/share");

    private static final String OWN_FILES = "prometheus/alertmanager";
    private static final List<String> NAMESPACE = List.of("unshare", "--map-root-user", "--mount");

    private final Path program;
    private final DataDirectory data;
    private final int port;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

    @Nullable
    private ServerProcess process;

    private AlertmanagerServer(Path program, DataDirectory data, int port) {
        this.program = program;
        this.data = data;
        this.port = port;
    }

    /** The Alertmanager that this machine offers, or what was tried and what to do. */
    public static Availability<Path> find() {
        Availability<Path> found = find("prometheus-alertmanager", System.getenv());
        if (!found.isFound() || Files.isDirectory(SHARED.resolve(OWN_FILES))) {
            return found;
        }
        try {
            Path here = Path.of(System.getProperty("java.io.tmpdir"));
            DebianProgram.run(
                    here,
                    Duration.ofSeconds(10),
                    join(NAMESPACE, List.of("true")).toArray(new String[0]));
            return found;
        } catch (IOException e) {
            return new Availability.Missing<>("an unpacked Alertmanager needs a name space of its own, and "
                    + e.getMessage() + ". Debian: apt-get install prometheus-alertmanager");
        }
    }

    /** The checker of its configuration, of the same package. */
    public static Availability<Path> findTool() {
        return find("amtool", System.getenv());
    }

    static Availability<Path> find(String program, Map<String, String> environment) {
        DebianProgram search = new DebianProgram(program, "prometheus-alertmanager", environment);
        Optional<Path> found = search.find();
        return found.<Availability<Path>>map(Availability.Found::new)
                .orElseGet(() -> new Availability.Missing<>("no " + program + " was found ("
                        + String.join("; ", search.tried()) + "). Debian: apt-get install prometheus-alertmanager"));
    }

    /** Starts a server with a configuration and returns when it is ready; throws {@link ServerStartException} with the end of its log otherwise. */
    public static AlertmanagerServer start(Path program, String configuration) {
        DataDirectory data = DataDirectory.of(null, "inferwatch-alertmanager-");
        AlertmanagerServer server =
                new AlertmanagerServer(program, data, ServerProcess.freePorts(1).get(0));
        try {
            Files.writeString(server.configurationFile(), configuration);
            server.launch();
        } catch (IOException e) {
            server.close();
            throw new ServerStartException("Alertmanager: cannot write its configuration: " + e, e);
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
        return server;
    }

    /** Where clients connect. */
    public URI url() {
        return URI.create("http://" + HOST + ":" + port);
    }

    /** Stops the server cleanly; data and port stay for {@link #restart}. */
    public void stop() {
        if (process != null) {
            process.stop(STOP_PATIENCE);
        }
    }

    /** Starts the server again on the same port and data, after stopping it if it still runs. */
    public void restart() {
        stop();
        launch();
    }

    /** Stops the server and removes its directory. */
    @Override
    public void close() {
        stop();
        data.release();
    }

    private Path configurationFile() {
        return data.path().resolve("alertmanager.yml");
    }

    private void launch() {
        ServerProcess.requireFree("Alertmanager", port);
        ServerProcess started = ServerProcess.start(
                "Alertmanager (" + program + ")",
                command(),
                Map.of(),
                data.path().resolve("alertmanager.log"));
        process = started;
        started.awaitReady(this::isReady, START_PATIENCE);
    }

    private List<String> command() {
        List<String> command = List.of(
                program.toString(),
                "--config.file=" + configurationFile(),
                "--storage.path=" + data.path().resolve("data"),
                "--web.listen-address=" + HOST + ":" + port,
                "--cluster.listen-address=");
        if (Files.isDirectory(SHARED.resolve(OWN_FILES))) {
            return command;
        }
        Path unpacked = program.resolveSibling("../share").normalize();
        List<String> mounted =
                List.of("sh", "-c", "mount --bind \"$0\" " + SHARED + " && exec \"$@\"", unpacked.toString());
        return join(NAMESPACE, join(mounted, command));
    }

    private static List<String> join(List<String> first, List<String> then) {
        return Stream.concat(first.stream(), then.stream()).toList();
    }

    private boolean isReady() {
        HttpRequest request = HttpRequest.newBuilder(url().resolve("/-/ready"))
                .timeout(Duration.ofSeconds(1))
                .build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public String toString() {
        return "Alertmanager " + url();
    }
}
