package io.inferwatch.local.bench;

import io.inferwatch.schemas.Topic;
import io.inferwatch.servers.KafkaBroker;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code inferwatch bench engine}: what one engine probe costs that scrapes many engines once a second. The probe runs in a process of its own, publishes to a
 * real broker, and only its processor time and memory are counted. Ends with 1 when it read fewer pages than it should have.
 */
@Command(
        name = "engine",
        description = "What an engine probe costs that scrapes many engines once a second.",
        mixinStandardHelpOptions = true)
final class EngineBenchCommand implements Callable<Integer> {
    private static final double LEAST_SHARE = 0.95;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--engines", defaultValue = "100", description = "Servers (default: ${DEFAULT-VALUE}).")
    private int engines;

    @Option(names = "--series", defaultValue = "1000", description = "Series of each (default: ${DEFAULT-VALUE}).")
    private int series;

    @Option(names = "--warm-up", defaultValue = "30", description = "Seconds before (default: ${DEFAULT-VALUE}).")
    private int warmUpSeconds;

    @Option(names = "--seconds", defaultValue = "30", description = "Seconds measured (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        Path directory = Files.createTempDirectory("inferwatch-bench-");
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try (KafkaBroker broker = KafkaBroker.start(KafkaBroker.Options.in(directory.resolve("kafka")));
                MetricPages pages = new MetricPages(loops, engines, series);
                ProxyContestant probe =
                        ProxyContestant.engineProbe(pages.urls(), broker.bootstrapServers(), directory)) {
            broker.createTopic(Topic.ENGINE.topicName(), 1, Topic.ENGINE.kafkaSettings());
            pause(warmUpSeconds);
            double pagesBefore = pagesRead(probe.port());
            double processorBefore = probe.processorSeconds();
            long beganNanos = System.nanoTime();
            pause(seconds);
            double spent = probe.processorSeconds() - processorBefore;
            double took = (System.nanoTime() - beganNanos) / 1e9;
            double read = pagesRead(probe.port()) - pagesBefore;
            out.println(String.format(
                    Locale.ROOT,
                    "%d engines of %d series (%d KiB), once a second, over %.0f s; %s, %d processors shared by probe, servers and broker",
                    engines,
                    series,
                    MetricPages.page(series, 1_000).length() / 1024,
                    took,
                    LocalDate.now(ZoneOffset.UTC),
                    Runtime.getRuntime().availableProcessors()));
            out.println(String.format(
                    Locale.ROOT,
                    "%.0f pages, %.1f %% of a core, %.0f us a page, %.2f us a series, RSS %.0f MiB",
                    read,
                    100 * spent / took,
                    1e6 * spent / read,
                    1e6 * spent / read / series,
                    probe.residentMebibytes()));
            out.flush();
            return read >= LEAST_SHARE * engines * took ? 0 : 1;
        } finally {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
            ChildProcess.delete(directory);
        }
    }

    private static double pagesRead(int port) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                .build();
        List<String> lines = HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body()
                .lines()
                .toList();
        return lines.stream()
                .filter(line -> line.startsWith("inferwatch_engine_pages_total{"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    private static void pause(int seconds) {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() - endNanos < 0) {
            LockSupport.parkNanos(endNanos - System.nanoTime());
        }
    }
}
