package io.inferwatch.local.bench;

import io.inferwatch.schemas.Topic;
import io.inferwatch.servers.KafkaBroker;
import io.inferwatch.servers.TestServers;
import io.inferwatch.simulation.gpu.SimulatedDriver;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code inferwatch bench gpu}: what the GPU probe costs, as a process of its own with a real Kafka and a simulated driver, which answers at once: what is measured is the
 * probe, without the time that NVIDIA's driver takes, once its code is compiled. Each GPU has two processes, one of them on all GPUs, whose files are read. Ends with 1 when samples lacked or when it took over 1 % of a core.
 */
@Command(
        name = "gpu",
        description = "What the GPU probe costs, on a simulated driver.",
        mixinStandardHelpOptions = true)
final class GpuBenchCommand implements Callable<Integer> {
    private static final double LIMIT_PERCENT = 1;
    private static final List<String> JVM_OPTIONS =
            List.of("-Xms32m", "-Xmx32m", "-XX:+UseSerialGC", "-Xss512k", "-XX:TieredStopAtLevel=1");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern SAMPLES = Pattern.compile("(?m)^inferwatch_gpu_samples_total (\\S+)$");

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--gpus", defaultValue = "8", description = "Devices (default: ${DEFAULT-VALUE}).")
    private int gpus;

    @Option(
            names = "--warm-up",
            defaultValue = "180",
            description = "Seconds before the measurement (default: ${DEFAULT-VALUE}).")
    private int warmUpSeconds;

    @Option(names = "--seconds", defaultValue = "60", description = "Its length (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        Path directory = Files.createTempDirectory("inferwatch-bench-");
        try (KafkaBroker broker = KafkaBroker.start(KafkaBroker.Options.in(directory.resolve("kafka")))) {
            broker.createTopic(Topic.GPU.topicName(), 4, Topic.GPU.kafkaSettings());
            Path driver = Files.createDirectory(directory.resolve("driver"));
            simulate(SimulatedDriver.compile(TestServers.compiler().get(), driver));
            int port = ProxyContestant.freePort();
            Process probe = probe(driver, broker.bootstrapServers(), port, directory.resolve("probe.log"));
            Thread killer = new Thread(probe::destroyForcibly);
            Runtime.getRuntime().addShutdownHook(killer);
            try {
                return measure(probe, port, out);
            } finally {
                probe.destroyForcibly();
                Runtime.getRuntime().removeShutdownHook(killer);
            }
        } finally {
            ChildProcess.delete(directory);
        }
    }

    private void simulate(SimulatedDriver driver) throws IOException {
        driver.set("count", gpus);
        List<Long> pids = ProcessHandle.allProcesses().map(ProcessHandle::pid).toList();
        for (int gpu = 0; gpu < gpus; gpu++) {
            // One of its own, as the worker of a rank, and one that uses all devices.
            long own = pids.get(gpu % pids.size());
            driver.set(
                    "gpu" + gpu + ".processes",
                    own + ":70000000000," + ProcessHandle.current().pid() + ":1000000");
        }
        for (int metric : new int[] {1, 2, 3, 5, 10, 11, 12, 13, 20, 21}) {
            driver.set("gpm." + metric, "50");
        }
    }

    private int measure(Process probe, int port, PrintWriter out) throws IOException, InterruptedException {
        double begun = samples(port);
        for (long end = System.nanoTime() + PATIENCE.toNanos(); begun == 0; begun = samples(port)) {
            if (System.nanoTime() - end > 0 || !probe.isAlive()) {
                throw new IllegalStateException("the probe did not begin");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
        TimeUnit.SECONDS.sleep(warmUpSeconds);
        double samplesBefore = samples(port);
        double before = ProcessorTime.ofProcess(probe.pid());
        long beforeNanos = System.nanoTime();
        TimeUnit.SECONDS.sleep(seconds);
        double elapsedSeconds = (System.nanoTime() - beforeNanos) / 1e9;
        double percent = (ProcessorTime.ofProcess(probe.pid()) - before) / elapsedSeconds * 100;
        double perSecond = (samples(port) - samplesBefore) / elapsedSeconds;
        out.printf(
                Locale.ROOT,
                "%s: %d GPUs, %.2f samples/s, %.2f %% of a core, %.0f MiB resident, over %.0f s%n",
                LocalDate.now(ZoneOffset.UTC),
                gpus,
                perSecond,
                percent,
                ProxyContestant.residentMebibytes(probe.pid()),
                elapsedSeconds);
        out.flush();
        // One round may fall on either side of the measurement's ends.
        boolean isWhole = perSecond * elapsedSeconds >= gpus * (elapsedSeconds - 2);
        return isWhole && percent <= LIMIT_PERCENT ? 0 : 1;
    }

    private static Process probe(Path driver, String bootstrapServers, int port, Path log) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JVM_OPTIONS);
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                "io.inferwatch.local.InferwatchCommand",
                "probe",
                "gpu",
                "--admin-listen=" + port,
                "--bootstrap-servers=" + bootstrapServers));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("LD_LIBRARY_PATH", driver.toString());
        return builder.start();
    }

    /** As its page says; 0 while there is none. */
    private static double samples(int port) throws InterruptedException {
        try {
            String page = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                                    .build(),
                            BodyHandlers.ofString())
                    .body();
            Matcher total = SAMPLES.matcher(page);
            return total.find() ? Double.parseDouble(total.group(1)) : 0;
        } catch (IOException e) {
            return 0;
        }
    }
}
