package io.inferwatch.probes.load;

import io.inferwatch.analytics.schedule.Gaps;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What the generator itself costs: the same client against a server in this process that answers at once with eight tokens, for a second and at the rate of the run. A latency below this floor cannot be measured
 * here, and a lag above the limit already here makes the run pointless.
 *
 * @param ttftMicros from the sending
 * @param lagMicros of the sending behind the schedule
 */
record SelfTest(double ratePerSecond, Distribution ttftMicros, Distribution lagMicros) {
    private static final int WARM_UP = 200;
    private static final long WARM_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final double MAX_RATE = 5_000;
    private static final double MIN_RATE = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String PARAMETERS = "?events=8&micros=0";

    /** Runs it as the run itself will be run. */
    static SelfTest run(LoadSettings settings, double ratePerSecond) throws InterruptedException {
        double rate = Math.max(MIN_RATE, Math.min(MAX_RATE, ratePerSecond));
        MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("inferwatch-load-null", true), NioIoHandler.newFactory());
        List<FinishedRequest> finished = Collections.synchronizedList(new ArrayList<>());
        try (NullServer server = new NullServer(loops)) {
            Target target = new Target(
                    List.of(URI.create(
                            "http://" + InetAddress.getLoopbackAddress().getHostAddress() + ":" + server.port())),
                    settings.target().api(),
                    settings.target().api().path() + PARAMETERS,
                    Optional.empty(),
                    Map.of(),
                    null);
            LoadSettings own = new LoadSettings(
                    target, "self-test", settings.loops(), List.of(), Integer.MAX_VALUE, PATIENCE, PATIENCE, false);
            try (LoadRun run = new LoadRun(own, finished::add)) {
                run.run(0, load(WARM_UP * 1e9 / WARM_UP_NANOS, WARM_UP_NANOS), PATIENCE);
                run.run(1, load(rate, TimeUnit.SECONDS.toNanos(1)), PATIENCE);
            }
        } finally {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
        List<FinishedRequest> measured =
                finished.stream().filter(request -> request.phase() == 1).toList();
        return new SelfTest(
                rate,
                Distribution.of(measured, FinishedRequest::sentTtftMicros),
                Distribution.of(measured, FinishedRequest::lagMicros));
    }

    private static Workload load(double rate, long nanos) {
        RequestMaker maker = new RequestMaker(new Lengths.Fixed(64), new Lengths.Fixed(8), 1, 0, 1);
        return new RateWorkload(
                List.of(new RateWorkload.Step(Optional.of(new Gaps.Exponential(1 / rate)), nanos)),
                1,
                maker,
                Long.MAX_VALUE,
                1);
    }
}
