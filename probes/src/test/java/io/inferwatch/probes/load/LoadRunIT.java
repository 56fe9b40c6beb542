package io.inferwatch.probes.load;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferwatch.analytics.schedule.Gaps;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Source;
import io.inferwatch.schemas.Traffic;
import io.inferwatch.simulation.http.SimulationServer;
import io.inferwatch.simulation.http.SimulationSettings;
import io.inferwatch.simulation.serving.Fault;
import io.inferwatch.simulation.serving.ServerSpec;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the generator sends and measures, against a simulated server's own log. */
class LoadRunIT {
    private static final Duration ENDLESS = Duration.ofDays(1);
    private static final long STALL_MICROS = 2_000_000;

    @TempDir
    private Path directory;

    private final List<FinishedRequest> finished = Collections.synchronizedList(new ArrayList<>());
    private Path log;
    private SimulationServer server;

    /** When the server handed a request's tokens to its connection, on the common clock. */
    private record Served(long arrivedAtMicros, List<Long> tokenAtMicros) {}

    @BeforeEach
    void start() {
        log = directory.resolve("timing.jsonl");
        server = SimulationServer.start(
                SimulationSettings.of(ServerSpec.usual(1, 9)).withTimingLog(log));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** A machine with other work to do holds either side up between its two stamps and so only adds to the difference: what the generator itself adds is in the least of many, and none is below the truth. */
    @Test
    void measuredTimesAreTheServersOwn() throws Exception {
        try (LoadRun run = new LoadRun(settings("timed").keepingChunks(), finished::add)) {
            run.run(0, rate(40, 40, maker(8)), ENDLESS);
            finished.clear();
            run.run(1, rate(25, 50, maker(8)), ENDLESS);
            assertThat(run.counts()).isEqualTo(new LoadRun.Counts(90, 90, 0, 90));
        }
        Map<String, Served> served = served(90);
        List<Double> ttft = new ArrayList<>();
        List<Double> e2e = new ArrayList<>();
        List<Double> gaps = new ArrayList<>();
        for (FinishedRequest request : finished) {
            RequestEvent event = request.event();
            Served truth = requireNonNull(served.get(event.getRequestId()));
            assertThat(event.getTraffic()).isEqualTo(Traffic.SYNTHETIC);
            assertThat(event.getSource()).isEqualTo(Source.LOAD);
            assertThat(event.getRun()).isEqualTo("timed");
            assertThat(event.getOutcome()).isEqualTo(Outcome.LENGTH);
            assertThat(event.getOutputTokens()).isEqualTo(8);
            int[] chunks = requireNonNull(request.chunkMicros());
            assertThat(chunks).hasSize(8);
            long trueTtft = truth.tokenAtMicros().get(0) - truth.arrivedAtMicros();
            long trueE2e = truth.tokenAtMicros().get(7) - truth.arrivedAtMicros();
            assertThat(requireNonNull(request.sentTtftMicros())).isGreaterThanOrEqualTo(trueTtft - 1);
            ttft.add(excess(requireNonNull(request.sentTtftMicros()), trueTtft));
            e2e.add(excess(requireNonNull(request.sentE2eMicros()), trueE2e));
            for (int i = 1; i < 8; i++) {
                gaps.add(excess(
                        chunks[i] - chunks[i - 1],
                        truth.tokenAtMicros().get(i) - truth.tokenAtMicros().get(i - 1)));
            }
        }
        assertThat(shareWithinLimit(ttft)).as("TTFT within 1 ms or 1 %%").isPositive();
        assertThat(shareWithinLimit(e2e)).as("E2E within 1 ms or 1 %%").isPositive();
        assertThat(shareWithinLimit(gaps)).as("gaps within 1 ms or 1 %%").isGreaterThan(0.3);
    }

    /**
     * A hundred requests a second for four seconds, of which eight may be open, and a server whose only thread stands still for two. From the sending no more than the eight were slow. Whoever asked at the time of the
     * schedule knows better: all that were due in the stall waited for its end, a hundred of them or more longer than a second.
     */
    @Test
    void aStallIsInTheTailAsTheScheduleSays() throws Exception {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        AtomicLong stallBeginNanos = new AtomicLong();
        AtomicLong ended = new AtomicLong();
        RunClock clock;
        try (NullServer stalling = new NullServer(loops)) {
            Target target = new Target(
                    List.of(URI.create("http://127.0.0.1:" + stalling.port())),
                    Api.CHAT,
                    Api.CHAT.path() + "?events=2&micros=1000",
                    Optional.empty(),
                    Map.of(),
                    null);
            LoadSettings settings = LoadSettings.of(target, "stall").withMaxOpen(8);
            try (LoadRun run = new LoadRun(settings, request -> {
                finished.add(request);
                if (ended.incrementAndGet() == 100) {
                    loops.execute(() -> standStill(stallBeginNanos));
                }
            })) {
                clock = run.clock();
                RateWorkload.Step step = new RateWorkload.Step(Optional.of(new Gaps.Constant(0.01)), Long.MAX_VALUE);
                run.run(1, new RateWorkload(List.of(step), 1, maker(2), 400, 1), ENDLESS);
            }
        } finally {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
        long begin = clock.atMicros(stallBeginNanos.get());
        long end = begin + STALL_MICROS;
        assertThat(count(request -> requireNonNull(request.sentTtftMicros()), 1_000_000))
                .isBetween(1L, 8L);
        assertThat(count(request -> requireNonNull(request.ttftMicros()), 1_000_000))
                .isGreaterThanOrEqualTo(95);
        assertThat(finished)
                .filteredOn(request -> request.dueAtMicros() > begin && request.dueAtMicros() < end)
                .hasSizeBetween(199, 201)
                .allSatisfy(request -> assertThat(requireNonNull(request.ttftMicros()))
                        .isGreaterThanOrEqualTo(end - request.dueAtMicros()));
        // Waiting for a place, the generator's lag and the server's time are all there is.
        assertThat(finished).allSatisfy(request -> assertThat(
                        request.queuedMicros() + request.lagMicros() + requireNonNull(request.sentTtftMicros()))
                .isCloseTo(requireNonNull(request.ttftMicros()), within(3L)));
        assertThat(RequestMetric.QUEUED.of(finished).max()).isGreaterThan(1_500_000);
    }

    private static void standStill(AtomicLong beginNanos) {
        beginNanos.set(System.nanoTime());
        long endNanos = beginNanos.get() + STALL_MICROS * 1_000;
        while (System.nanoTime() < endNanos) {
            LockSupport.parkNanos(endNanos - System.nanoTime());
        }
    }

    @Test
    void aClosedLoopHasSoManyOpenAndNoMore() throws Exception {
        try (LoadRun run = new LoadRun(settings("closed").withMaxOpen(5), finished::add)) {
            run.run(1, new ClosedWorkload(maker(3), 60), ENDLESS);
        }
        assertThat(finished).hasSize(60).allMatch(FinishedRequest::isGood);
        assertThat(finished)
                .extracting(request -> request.event().getScheduledAtMicros())
                .containsOnlyNulls();
        assertThat(RunSummary.of(finished).mostOpen()).isEqualTo(5);
    }

    @Test
    void aConversationsNextTurnComesAfterTheAnswerAndAPauseAndFindsTheFormerOnesInTheCache() throws Exception {
        RequestMaker maker = new RequestMaker(new Lengths.Fixed(64), new Lengths.Fixed(4), 3, 0.05, 1);
        try (LoadRun run = new LoadRun(settings("sessions").withMaxOpen(2), finished::add)) {
            run.run(1, new ClosedWorkload(maker, 4), ENDLESS);
        }
        assertThat(finished).hasSize(12).allMatch(FinishedRequest::isGood);
        Map<String, List<FinishedRequest>> sessions = new HashMap<>();
        finished.forEach(request -> sessions.computeIfAbsent(
                        requireNonNull(request.planned().session()), name -> new ArrayList<>())
                .add(request));
        assertThat(sessions).hasSize(4);
        sessions.values().forEach(turns -> {
            assertThat(turns).extracting(request -> request.event().getTurn()).containsExactly(1, 2, 3);
            for (int i = 1; i < 3; i++) {
                assertThat(turns.get(i).sentAtMicros())
                        .isGreaterThanOrEqualTo(turns.get(i - 1).event().getCompletedAtMicros());
            }
            assertThat(turns.get(2).event().getCachedTokens()).isGreaterThanOrEqualTo(96);
        });
    }

    @Test
    void aServerThatIsAwayFailsEveryRequestAndHoldsNothingUp() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        Target nobody = Target.of(URI.create("http://127.0.0.1:" + port), Api.CHAT);
        try (LoadRun run = new LoadRun(LoadSettings.of(nobody, "away"), finished::add)) {
            run.run(1, rate(200, 50, maker(3)), ENDLESS);
        }
        assertThat(finished)
                .hasSize(50)
                .extracting(request -> request.event().getOutcome())
                .containsOnly(Outcome.HTTP_ERROR);
        assertThat(finished).extracting(FinishedRequest::e2eMicros).containsOnlyNulls();
    }

    @Test
    void afterAStopWhatHangsIsGivenUpAndCounted() throws Exception {
        server.switchOn(Fault.HANGING_REQUESTS, 1);
        try (LoadRun run = new LoadRun(settings("stopped").withDrain(Duration.ofMillis(200)), finished::add)) {
            Thread stopper = new Thread(() -> {
                await().until(() -> run.counts().open() >= 10);
                run.stop("enough");
            });
            stopper.start();
            run.run(1, rate(50, 5_000, maker(3)), ENDLESS);
            stopper.join();
            assertThat(run.stopReason()).isEqualTo("enough");
            LoadRun.Counts counts = run.counts();
            assertThat(counts.open()).isZero();
            assertThat(counts.planned()).isEqualTo(counts.sent() + counts.unsent());
            assertThat(counts.sent()).isGreaterThanOrEqualTo(10).isEqualTo(finished.size());
        }
        assertThat(finished).extracting(request -> request.event().getOutcome()).containsOnly(Outcome.CLIENT_CANCEL);
    }

    /** How far gaps keep to the schedule is a matter of the machine, and of {@code bench load}; that nothing is early and lateness is told in full is not. */
    @Test
    void nothingIsSentBeforeItsTimeAndLatenessIsTold() throws Exception {
        try (LoadRun run = new LoadRun(settings("sent"), finished::add)) {
            run.run(1, rate(200, 200, maker(1)), ENDLESS);
        }
        assertThat(finished).hasSize(200).allSatisfy(request -> {
            assertThat(request.lagMicros()).isNotNegative();
            assertThat(request.queuedMicros()).isZero();
            assertThat(request.sentAtMicros() - request.dueAtMicros()).isCloseTo(request.lagMicros(), within(2L));
        });
        // The schedule's own gaps, after sorting by number, are those of the same seed planned anew.
        Workload again = rate(200, 200, maker(1));
        finished.sort((a, b) -> Long.compare(a.planned().number(), b.planned().number()));
        long first = finished.get(0).dueAtMicros();
        long firstNanos = requireNonNull(requireNonNull(again.next()).afterNanos());
        for (int i = 1; i < 200; i++) {
            long planned = requireNonNull(requireNonNull(again.next()).afterNanos()) - firstNanos;
            assertThat(finished.get(i).dueAtMicros() - first).isCloseTo(planned / 1_000, within(2L));
        }
    }

    private LoadSettings settings(String run) {
        return LoadSettings.of(Target.of(URI.create(server.url()), Api.CHAT), run);
    }

    private static RequestMaker maker(int answerTokens) {
        return new RequestMaker(new Lengths.Fixed(20), new Lengths.Fixed(answerTokens), 1, 0, 1);
    }

    private static Workload rate(double rate, long requests, RequestMaker maker) {
        RateWorkload.Step step = new RateWorkload.Step(Optional.of(new Gaps.Exponential(1 / rate)), Long.MAX_VALUE);
        return new RateWorkload(List.of(step), 1, maker, requests, 5);
    }

    private Map<String, Served> served(int requests) {
        await().until(() -> Files.readAllLines(log).size() == requests);
        Map<String, Served> served = new HashMap<>();
        try {
            for (String line : Files.readAllLines(log)) {
                JsonNode node = new ObjectMapper().readTree(line);
                long arrived = node.get("arrivedAtMicros").asLong();
                List<Long> tokens = new ArrayList<>();
                node.get("sentNanos").forEach(nanos -> tokens.add(arrived + nanos.asLong() / 1_000));
                served.put(node.get("requestId").asText(), new Served(arrived, tokens));
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return served;
    }

    private long count(ToLongFunction<FinishedRequest> micros, long above) {
        return finished.stream()
                .mapToLong(micros)
                .filter(value -> value > above)
                .count();
    }

    /** One is agreement at the very limit. */
    private static double excess(long measuredMicros, long trueMicros) {
        return Math.abs(measuredMicros - trueMicros) / Math.max(1e3, 0.01 * trueMicros);
    }

    private static double shareWithinLimit(List<Double> excesses) {
        return excesses.stream().filter(excess -> excess <= 1).count() / (double) excesses.size();
    }
}
