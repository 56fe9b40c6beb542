package io.inferwatch.local.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.simulation.fleet.Arrival;
import io.inferwatch.simulation.fleet.FleetSink;
import io.inferwatch.simulation.fleet.VirtualFleet;
import io.inferwatch.simulation.serving.ServerSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The live demo's load in virtual time, whose truth is counted in sorted arrays: whether what the demo is to show is there to be shown. */
class LongerPromptsTest {
    private static final Duration BEFORE = Duration.ofMinutes(8);
    private static final Duration AFTER = Duration.ofMinutes(6);
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final int SEED = 1;
    private static final int LONG = 12_000;

    private final List<RequestEvent> events = new ArrayList<>();

    @Test
    void longPromptsRaiseTheTailAndSlowDownNoOtherSeed1(@TempDir Path directory) {
        run(directory, LiveFault.LONGER_PROMPTS.timesAsFast());

        double before = p99Micros(event -> !isAfter(event));
        double all = p99Micros(LongerPromptsTest::isAfter);
        double others = p99Micros(event -> isAfter(event) && event.getPromptTokens() != LONG);
        assertThat(all / before).isGreaterThan(2.5);
        assertThat(others / before).isBetween(0.95, 1.05);
    }

    /** Why the servers are faster for this fault. */
    @Test
    void onServersForOtherFaultsTheyWouldHoldUpTheOthersSeed1(@TempDir Path directory) {
        run(directory, LiveFault.SLOW_NODE.timesAsFast());

        double before = p99Micros(event -> !isAfter(event));
        double others = p99Micros(event -> isAfter(event) && event.getPromptTokens() != LONG);
        assertThat(others / before).isGreaterThan(1.5);
    }

    private void run(Path directory, int timesAsFast) {
        List<ServerSpec> servers = IntStream.range(0, 3)
                .mapToObj(i -> ServerSpec.usual(i, SEED).withEngine(LiveFleet.engine(timesAsFast)))
                .toList();
        new VirtualFleet("live", servers, load(LiveTrace.shipped(directory)), START, new FleetSink() {
                    @Override
                    public void accept(RequestEvent event) {
                        events.add(event);
                    }

                    @Override
                    public void accept(Heartbeat heartbeat) {}

                    @Override
                    public void accept(EngineSample sample) {}

                    @Override
                    public void accept(GpuSample sample) {}
                })
                .run(BEFORE.plus(AFTER));
    }

    private static Iterator<Arrival> load(LiveTrace trace) {
        return IntStream.iterate(0, number -> number + 1)
                .mapToObj(number -> {
                    LiveTrace.Row traced = trace.row(number);
                    LiveTrace.Row row = traced.afterNanos() < BEFORE.toNanos() ? traced : traced.lengthened();
                    return Arrival.alone(row.afterNanos(), row.number(), row.promptTokens(), row.answerTokens());
                })
                .iterator();
    }

    private static boolean isAfter(RequestEvent event) {
        return event.getStartedAtMicros() >= ChronoUnit.MICROS.between(Instant.EPOCH, START.plus(BEFORE));
    }

    private double p99Micros(Predicate<RequestEvent> which) {
        long[] sorted = events.stream()
                .filter(which)
                .map(RequestEvent::getTtftMicros)
                .filter(Objects::nonNull)
                .mapToLong(Long::longValue)
                .sorted()
                .toArray();
        return sorted[(int) Math.ceil(0.99 * sorted.length) - 1];
    }
}
