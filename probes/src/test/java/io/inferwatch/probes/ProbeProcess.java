package io.inferwatch.probes;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/** {@code inferwatch probe …} as a process of its own, with all that it writes in one file. */
public final class ProbeProcess implements AutoCloseable {
    /** How a JVM ends by SIGTERM. */
    public static final int ENDED_BY_SIGTERM = 128 + 15;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final HttpClient client = HttpClient.newHttpClient();
    private final Process process;
    private final Path output;
    private final Pattern started;

    private ProbeProcess(Process process, Path output, Pattern started) {
        this.process = process;
        this.output = output;
        this.started = started;
    }

    /** The process itself. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new ProbeCommand()).execute(arguments));
    }

    /**
     * Starts one and returns once it has said its ports.
     *
     * @param output where all that it writes goes
     * @param started what it says when it serves, with the admin's port as group {@code admin}
     * @param logLevel of the root logger
     */
    public static ProbeProcess start(Path output, Pattern started, String logLevel, List<String> arguments)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-Dlog4j2.configurationFile=classpath:io/inferwatch/probes/process-log4j2.properties",
                "-Dinferwatch.test.level=" + logLevel,
                "-cp",
                System.getProperty("java.class.path"),
                ProbeProcess.class.getName()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        ProbeProcess probe = new ProbeProcess(process, output, started);
        try {
            await().atMost(PATIENCE).until(() -> probe.said().find() || !process.isAlive());
            probe.port("admin");
            return probe;
        } catch (RuntimeException | Error e) {
            probe.close();
            throw e;
        }
    }

    /** A port that it said. */
    public int port(String group) {
        Matcher said = said();
        if (!said.find()) {
            throw new AssertionError("the process said nothing of its ports:\n" + output());
        }
        return Integer.parseInt(said.group(group));
    }

    /** All that it has written. */
    public String output() {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Status of a page of its admin port; 0 when nothing answers there. */
    public int status(String path) throws InterruptedException {
        try {
            return get(path).statusCode();
        } catch (IOException e) {
            return 0;
        }
    }

    /** Its page of metrics. */
    public String metrics() throws IOException, InterruptedException {
        return get("/metrics").body();
    }

    /** The value of a metric without labels. */
    public double metric(String name) throws IOException, InterruptedException {
        return metrics()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("there is no metric " + name));
    }

    /** Sends SIGTERM and goes on. */
    public void terminate() {
        process.destroy();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Waits for its end. */
    public int exitStatus() throws InterruptedException {
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("the process did not end:\n" + output());
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port("admin") + path))
                        .timeout(Duration.ofSeconds(10))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private Matcher said() {
        return started.matcher(output());
    }
}
