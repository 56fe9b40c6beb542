package io.inferwatch.local.bench;

import io.inferwatch.probes.load.NullServer;
import io.inferwatch.servers.KafkaBroker;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code inferwatch bench proxy}: what the measuring proxy adds to a stream, beside nginx and HAProxy as plain proxies, in front of an upstream that does nothing. Every
 * round asks for the same stream directly and through each proxy, one after the other; the figures are quantiles of the differences within the rounds, never differences
 * of quantiles. Client, upstream and proxies share this machine. Ends with 1 when a stream was lost.
 */
@Command(
        name = "proxy",
        description =
                "What the measuring proxy adds to a stream, beside nginx and HAProxy, in front of an upstream that does nothing.",
        mixinStandardHelpOptions = true)
final class ProxyBenchCommand implements Callable<Integer> {
    private static final int EVENTS_PER_ROUND = 20;
    private static final int EVENT_MICROS = 2_000;
    private static final int MEMORY_STREAMS = 1_000;
    /** A stream that has not ended by then is lost; it should take 20 s. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final String NOWHERE = "127.0.0.1:1";

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--rounds",
            defaultValue = "500",
            description = "Rounds of paired streams (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(
            names = "--warm-up",
            defaultValue = "5000",
            description = "Streams of one event through each proxy before them (default: ${DEFAULT-VALUE}).")
    private int warmUp;

    @Option(
            names = "--load",
            defaultValue = "200",
            description = "Streams with 50 events a second each, for the processor time (default: ${DEFAULT-VALUE}).")
    private int load;

    @Option(names = "--seconds", defaultValue = "10", description = "Length of that (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(names = "--streams", defaultValue = "5000", description = "Streams at once (default: ${DEFAULT-VALUE}).")
    private int streams;

    @Option(
            names = "--peers",
            description =
                    "Also plain proxies with Netty, Vert.x and Jetty, which measure nothing; needs a build with -Ppeers.")
    private boolean peers;

    /** What is known of one contestant. */
    private static final class Figures {
        private final List<long[]> ttftNanos = new ArrayList<>();
        private final List<long[]> eventNanos = new ArrayList<>();
        private double processorMicrosPerEvent;
        private double residentMebibytes;
        private String many = "";
    }

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        CommandLine command = Objects.requireNonNull(spec).commandLine();
        if (peers && !PipelineChild.hasPeers()) {
            throw new ParameterException(
                    command,
                    "--peers: must be built in, found a build without: mvn -q -pl deploy/local -am -Ppeers -DskipTests -Dquick package");
        }
        PrintWriter out = command.getOut();
        Path directory = Files.createTempDirectory("inferwatch-bench-");
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
        List<ProxyContestant> contestants = new CopyOnWriteArrayList<>();
        // Whoever stops the bench leaves no proxy behind.
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> contestants.forEach(ProxyContestant::close), "stop-proxies"));
        try (NullServer upstream = new NullServer(loops);
                KafkaBroker broker = KafkaBroker.start(KafkaBroker.Options.in(directory.resolve("kafka")))) {
            contestants.add(
                    ProxyContestant.inferwatch("inferwatch", upstream.port(), broker.bootstrapServers(), directory));
            contestants.add(ProxyContestant.inferwatch("Kafka away", upstream.port(), NOWHERE, directory));
            Path cache = Path.of(System.getProperty("user.home"), ".cache", "inferwatch");
            var nginx = DebianProgram.find("nginx", cache, List.of("nginx"));
            var haproxy = DebianProgram.find(
                    "haproxy",
                    cache,
                    List.of("haproxy", "liblua5.3-0", "libopentracing-c-wrapper0", "libopentracing1"));
            if (nginx.isPresent()) {
                contestants.add(ProxyContestant.nginx(nginx.get(), upstream.port(), directory));
            }
            if (haproxy.isPresent()) {
                contestants.add(ProxyContestant.haproxy(haproxy.get(), upstream.port(), directory));
            }
            if (peers) {
                contestants.add(ProxyContestant.peer("Netty, bytes", "NettyRelay", upstream.port(), directory));
                contestants.add(ProxyContestant.peer("Vert.x", "VertxProxy", upstream.port(), directory));
                contestants.add(ProxyContestant.peer("Jetty", "JettyProxy", upstream.port(), directory));
            }
            Map<ProxyContestant, Figures> figures = new LinkedHashMap<>();
            contestants.forEach(contestant -> figures.put(contestant, new Figures()));
            StreamClient client = new StreamClient(loops);
            pair(client, upstream.port(), figures);
            boolean isWhole = true;
            for (Map.Entry<ProxyContestant, Figures> entry : figures.entrySet()) {
                burden(client, entry.getKey(), entry.getValue());
                isWhole &= crowd(client, entry.getKey(), entry.getValue());
            }
            print(out, figures);
            return isWhole ? 0 : 1;
        } finally {
            contestants.forEach(ProxyContestant::close);
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
            ChildProcess.delete(directory);
        }
    }

    /** Rounds of one stream each: directly, then through every proxy. */
    private void pair(StreamClient client, int directPort, Map<ProxyContestant, Figures> figures)
            throws InterruptedException, ExecutionException {
        StreamClient.Connection direct = client.connect(directPort);
        Map<ProxyContestant, StreamClient.Connection> through = new LinkedHashMap<>();
        figures.keySet().forEach(contestant -> through.put(contestant, client.connect(contestant.port())));
        for (StreamClient.Connection connection : through.values()) {
            for (int i = 0; i < warmUp; i++) {
                connection.ask(1, 0).get();
            }
        }
        for (int round = 0; round < rounds; round++) {
            StreamClient.Seen base = direct.ask(EVENTS_PER_ROUND, EVENT_MICROS).get();
            for (Map.Entry<ProxyContestant, StreamClient.Connection> entry : through.entrySet()) {
                StreamClient.Seen seen =
                        entry.getValue().ask(EVENTS_PER_ROUND, EVENT_MICROS).get();
                Figures noted = Objects.requireNonNull(figures.get(entry.getKey()));
                noted.ttftNanos.add(new long[] {seen.ttftNanos() - base.ttftNanos()});
                noted.eventNanos.add(IntStream.range(1, EVENTS_PER_ROUND)
                        .mapToLong(i -> seen.transitNanos()[i] - base.transitNanos()[i])
                        .toArray());
            }
        }
        direct.close();
        through.values().forEach(StreamClient.Connection::close);
    }

    /** Many streams at their usual speed: processor time for each event. */
    private void burden(StreamClient client, ProxyContestant contestant, Figures figures)
            throws InterruptedException, ExecutionException {
        int events = 50 * seconds;
        // Once to warm up.
        all(client, contestant, load, events, 20_000);
        double before = contestant.processorSeconds();
        all(client, contestant, load, events, 20_000);
        figures.processorMicrosPerEvent = (contestant.processorSeconds() - before) * 1e6 / ((double) load * events);
    }

    /** A thousand streams for the memory, then as many as asked for. */
    private boolean crowd(StreamClient client, ProxyContestant contestant, Figures figures)
            throws InterruptedException, ExecutionException {
        List<CompletableFuture<StreamClient.Seen>> thousand = begin(client, contestant, MEMORY_STREAMS, 20, 500_000);
        while (thousand.stream().noneMatch(CompletableFuture::isDone)) {
            figures.residentMebibytes = Math.max(figures.residentMebibytes, contestant.residentMebibytes());
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
        }
        int lost = lost(thousand);
        int lostOfMany = lost(begin(client, contestant, streams, 20, 1_000_000));
        figures.many = (streams - lostOfMany) + " of " + streams;
        return lost == 0 && lostOfMany == 0;
    }

    private static void all(StreamClient client, ProxyContestant contestant, int count, int events, int micros)
            throws InterruptedException, ExecutionException {
        for (CompletableFuture<StreamClient.Seen> stream : begin(client, contestant, count, events, micros)) {
            stream.get();
        }
    }

    private static List<CompletableFuture<StreamClient.Seen>> begin(
            StreamClient client, ProxyContestant contestant, int count, int events, int micros) {
        return Stream.generate(() -> client.stream(contestant.port(), events, micros))
                .limit(count)
                .toList();
    }

    private static int lost(List<CompletableFuture<StreamClient.Seen>> all) throws InterruptedException {
        long endNanos = System.nanoTime() + PATIENCE_NANOS;
        int lost = 0;
        for (CompletableFuture<StreamClient.Seen> stream : all) {
            try {
                stream.get(Math.max(0, endNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (ExecutionException | TimeoutException e) {
                lost++;
            }
        }
        return lost;
    }

    private void print(PrintWriter out, Map<ProxyContestant, Figures> figures) {
        out.println("added to a stream, " + rounds + " rounds of " + EVENTS_PER_ROUND
                + " events, paired with the same stream without a proxy; "
                + LocalDate.now(ZoneOffset.UTC) + ", " + Runtime.getRuntime().availableProcessors()
                + " processors shared by client, upstream and proxies");
        out.println("                TTFT p50   TTFT p99  event p50  event p99  CPU/event  RSS at " + MEMORY_STREAMS
                + "  streams at once");
        figures.forEach((contestant, noted) -> {
            long[] ttft = sorted(noted.ttftNanos);
            long[] event = sorted(noted.eventNanos);
            out.println(String.format(
                    Locale.ROOT,
                    "%-12s %8.0f us %8.0f us %8.1f us %8.1f us %7.1f us %8.0f MiB  %s",
                    contestant.name(),
                    quantile(ttft, 0.5),
                    quantile(ttft, 0.99),
                    quantile(event, 0.5),
                    quantile(event, 0.99),
                    noted.processorMicrosPerEvent,
                    noted.residentMebibytes,
                    noted.many));
        });
        out.flush();
    }

    private static long[] sorted(List<long[]> values) {
        return values.stream().flatMapToLong(Arrays::stream).sorted().toArray();
    }

    /** Microseconds. */
    private static double quantile(long[] sortedNanos, double q) {
        return sortedNanos[(int) Math.ceil(q * sortedNanos.length) - 1] / 1e3;
    }
}
