package io.inferwatch.probes.load;

import io.inferwatch.analytics.schedule.Gaps;
import io.inferwatch.probes.replay.Trace;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/** How well the generator keeps its schedule against a server that does nothing, in this process and on one thread of it. */
public final class LoadBench implements AutoCloseable {
    private static final Duration ENDLESS = Duration.ofDays(1);
    private static final int WARM_UP = 2_000;
    private static final double WARM_UP_RATE = 1_000;

    private final MultiThreadIoEventLoopGroup nullLoops = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("inferwatch-load-null", true), NioIoHandler.newFactory());
    private final NullServer server = new NullServer(nullLoops);
    private final int loops;

    /**
     * What came of a load.
     *
     * @param mostOpen requests open at once
     * @param lagMicros P50, P99 and greatest lateness of a sending
     * @param ttftMicros P50 and P99 from the sending
     * @param gapDistance Kolmogorov's distance between the gaps of the sendings and those of the schedule
     */
    public record Figures(
            long requests,
            long failed,
            double seconds,
            long mostOpen,
            List<Double> lagMicros,
            List<Double> ttftMicros,
            double gapDistance) {
        /** Whole answers a second. */
        public double rate() {
            return (requests - failed) / seconds;
        }

        /** The distance below which two samples of one distribution stay 99 times out of 100. */
        public double criticalDistance() {
            return 1.628 * Math.sqrt(2.0 / requests);
        }
    }

    /** A generator of so many event loops, warmed up. */
    public LoadBench(int loops) throws InterruptedException {
        this.loops = loops;
        run(1, 0, rate(WARM_UP_RATE, WARM_UP), Integer.MAX_VALUE, ENDLESS);
    }

    /** Port of the server, for others to ask it too. */
    public int port() {
        return server.port();
    }

    /** The requests of a trace, that many times faster than recorded, with their own prompts and answers of one token. */
    public Figures trace(Trace trace, double speedup, long limit) throws InterruptedException {
        return run(1, 0, new TraceWorkload(trace, speedup, limit, 1), Integer.MAX_VALUE, ENDLESS);
    }

    /**
     * A Poisson load of streams.
     *
     * @param events of each stream
     * @param micros between them
     */
    public Figures rate(double ratePerSecond, long requests, int events, int micros) throws InterruptedException {
        return run(events, micros, rate(ratePerSecond, requests), Integer.MAX_VALUE, ENDLESS);
    }

    /** A closed loop of streams of one event. */
    public Figures closed(int open, Duration length) throws InterruptedException {
        RequestMaker maker = new RequestMaker(new Lengths.Fixed(16), new Lengths.Fixed(1), 1, 0, 1);
        return run(1, 0, new ClosedWorkload(maker, Long.MAX_VALUE), open, length);
    }

    @Override
    public void close() {
        server.close();
        nullLoops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private static Workload rate(double ratePerSecond, long requests) {
        RequestMaker maker = new RequestMaker(new Lengths.Fixed(64), new Lengths.Fixed(8), 1, 0, 1);
        Gaps gaps = new Gaps.Exponential(1 / ratePerSecond);
        return new RateWorkload(
                List.of(new RateWorkload.Step(Optional.of(gaps), Long.MAX_VALUE)), 1, maker, requests, 1);
    }

    private Figures run(int events, int micros, Workload workload, int maxOpen, Duration longest)
            throws InterruptedException {
        List<FinishedRequest> finished = Collections.synchronizedList(new ArrayList<>());
        URI address = URI.create("http://" + InetAddress.getLoopbackAddress().getHostAddress() + ":" + server.port());
        Target target = new Target(
                List.of(address),
                Api.CHAT,
                Api.CHAT.path() + "?events=" + events + "&micros=" + micros,
                Optional.empty(),
                Map.of(),
                null);
        LoadSettings settings = new LoadSettings(
                target, "bench", loops, List.of(), maxOpen, Duration.ofMinutes(2), Duration.ofMinutes(2), false);
        try (LoadRun run = new LoadRun(settings, finished::add)) {
            run.run(1, workload, longest);
        }
        return figures(List.copyOf(finished));
    }

    private static Figures figures(List<FinishedRequest> finished) {
        RunSummary summary = RunSummary.of(finished);
        Distribution lag = summary.metric(RequestMetric.LAG);
        Distribution ttft = summary.metric(RequestMetric.SENT_TTFT);
        return new Figures(
                summary.requests(),
                summary.failedTotal(),
                summary.seconds(),
                summary.mostOpen(),
                List.of(lag.quantile(0.5), lag.quantile(0.99), lag.max()),
                ttft.isEmpty() ? List.of() : List.of(ttft.quantile(0.5), ttft.quantile(0.99)),
                distance(
                        gaps(finished.stream().mapToLong(FinishedRequest::dueAtMicros)),
                        gaps(finished.stream().mapToLong(FinishedRequest::sentAtMicros))));
    }

    private static long[] gaps(LongStream times) {
        long[] sorted = times.sorted().toArray();
        long[] gaps = new long[Math.max(0, sorted.length - 1)];
        Arrays.setAll(gaps, i -> sorted[i + 1] - sorted[i]);
        Arrays.sort(gaps);
        return gaps;
    }

    /** The greatest difference of the two samples' distribution functions. */
    static double distance(long[] a, long[] b) {
        double distance = 0;
        int i = 0;
        int j = 0;
        while (i < a.length && j < b.length) {
            long value = Math.min(a[i], b[j]);
            while (i < a.length && a[i] == value) {
                i++;
            }
            while (j < b.length && b[j] == value) {
                j++;
            }
            distance = Math.max(distance, Math.abs(i / (double) a.length - j / (double) b.length));
        }
        return distance;
    }
}
