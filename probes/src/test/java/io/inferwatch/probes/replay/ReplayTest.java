package io.inferwatch.probes.replay;

import static io.inferwatch.probes.replay.TraceFixtures.read;
import static io.inferwatch.probes.replay.TraceFixtures.small;
import static io.inferwatch.probes.replay.TraceFixtures.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.probes.publish.ReplicaState;
import io.inferwatch.schemas.RequestEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplayTest {
    private static final Instant START = Instant.parse("2026-11-30T12:00:00Z");
    private static final long START_MICROS = START.getEpochSecond() * 1_000_000;

    @TempDir
    private Path directory;

    private final SimulatedClock clock = new SimulatedClock(START);

    private record Run(ReplayReport report, List<RequestEvent> events, RecordingPublisher publisher, Replay replay) {}

    @Test
    void rowsAreSentWhenTheirScaledTimeComesAndCarryThatTime() {
        // Ends at 0, 1, 8 and 10 ms; ten times slower than recorded.
        Trace trace = read(TraceFormat.AZURE, small("azure.csv"));
        List<Instant> sentAt = new ArrayList<>();
        ReplayPlan plan = ReplayPlan.of(trace, ReplayTiming.speedup(0.1), Optional.empty(), clock);
        RecordingPublisher publisher = new RecordingPublisher(plan.instance());
        clock.atPause(() -> {
            while (sentAt.size() < publisher.events().size()) {
                sentAt.add(clock.instant());
            }
        });
        new Replay(plan, publisher, clock).run(progress -> {});

        assertThat(publisher.events())
                .extracting(RequestEvent::getCompletedAtMicros)
                .containsExactly(START_MICROS, START_MICROS + 10_000, START_MICROS + 80_000, START_MICROS + 100_000);
        assertThat(clock.pauses()).containsExactly(Duration.ofMillis(10), Duration.ofMillis(70), Duration.ofMillis(20));
        assertThat(publisher.events()).extracting(RequestEvent::getRow).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void latenciesAreNeverScaled() {
        Run run = run(read(TraceFormat.AGENTIC, small("agentic.csv")), ReplayTiming.speedup(600));
        RequestEvent row = run.events.stream()
                .filter(event -> event.getRow() == 3)
                .findFirst()
                .orElseThrow();
        assertThat(row.getE2eMicros()).isEqualTo(3_000_000);
        assertThat(row.getCompletedAtMicros() - row.getStartedAtMicros()).isEqualTo(3_000_000);
    }

    @Test
    void asFastAsPossibleMeansNoPauseAndTheRecordedSpacingUpToNow() {
        Run run = run(read(TraceFormat.AZURE, small("azure.csv")), ReplayTiming.max());
        assertThat(clock.pauses()).isEmpty();
        assertThat(run.events)
                .extracting(RequestEvent::getCompletedAtMicros)
                .containsExactly(START_MICROS - 10_000, START_MICROS - 9_000, START_MICROS - 2_000, START_MICROS);
    }

    @Test
    void eventTimesCanBeCompressedLessThanThePace() {
        Run run = run(
                read(TraceFormat.AZURE, small("azure.csv")),
                ReplayTiming.speedup(10).withCompress(2));
        // The replay ends 1 ms after its start; before that, distances are halved.
        assertThat(run.events)
                .extracting(event -> event.getCompletedAtMicros() - START_MICROS)
                .containsExactly(1_000L - 5_000, 1_000L - 4_500, 1_000L - 1_000, 1_000L);
    }

    @Test
    void nothingMayLieInTheFuture() {
        Trace trace = read(TraceFormat.AZURE, small("azure.csv"));
        assertThatThrownBy(() -> ReplayTiming.speedup(2).withCompress(3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("compress: must be at most the speedup of 2.0, found 3.0");
        ReplayTiming late = ReplayTiming.max().withEnd(START.plusSeconds(1));
        assertThatThrownBy(() -> ReplayPlan.of(trace, late, Optional.empty(), clock))
                .isInstanceOf(BadTraceException.class)
                .hasMessageContaining(
                        "end: must not be after the replay's own end at 2026-11-30T12:00:00Z, found 2026-11-30T12:00:01Z");
    }

    @Test
    void eachReplicasRowsAreNumberedWithoutGapsInTheOrderOfTheirEnds() {
        Run run = run(read(TraceFormat.AGENTIC, TraceFixtures.agentic()), ReplayTiming.max());
        assertThat(run.events).hasSize(49_334);
        Map<String, Long> next = new HashMap<>();
        long former = Long.MIN_VALUE;
        for (RequestEvent event : run.events) {
            assertThat(event.getSequence()).isEqualTo(next.getOrDefault(event.getStream(), 0L));
            next.put(event.getStream(), event.getSequence() + 1);
            assertThat(event.getCompletedAtMicros()).isBetween(former, START_MICROS);
            former = event.getCompletedAtMicros();
        }
        assertThat(next).hasSize(8);
        assertThat(run.report.isComplete()).isTrue();
        assertThat(run.report.acknowledged()).isEqualTo(49_334);
    }

    @Test
    void theSameReplayHasTheSameIdentityAndAnotherHasAnother() {
        Trace trace = read(TraceFormat.AZURE, small("azure.csv"));
        ReplayTiming timing = ReplayTiming.max().withEnd(START.minusSeconds(60));
        String instance = ReplayPlan.of(trace, timing, Optional.empty(), clock).instance();
        clock.pass(Duration.ofHours(1));
        assertThat(ReplayPlan.of(read(TraceFormat.AZURE, small("azure.csv")), timing, Optional.empty(), clock)
                        .instance())
                .as("the same events later")
                .isEqualTo(instance);
        assertThat(ReplayPlan.of(trace, ReplayTiming.max(), Optional.empty(), clock)
                        .instance())
                .as("other event times are other events")
                .isNotEqualTo(instance);
        Path changed = write(
                directory,
                "changed.csv",
                "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.0010000,10,2\n");
        assertThat(ReplayPlan.of(read(TraceFormat.AZURE, changed), timing, Optional.empty(), clock)
                        .instance())
                .isNotEqualTo(instance);
    }

    @Test
    void aReplayGoesOnWhereTheResumeFileSaysWithTheSameTimes() throws IOException {
        Trace trace = read(TraceFormat.AGENTIC, small("agentic.csv"));
        Path resume = directory.resolve("deep/resume.json");
        ReplayTiming timing = ReplayTiming.speedup(10);

        Run whole = run(trace, timing);
        SimulatedClock first = new SimulatedClock(START);
        ReplayPlan plan = ReplayPlan.of(trace, timing, Optional.of(resume), first);
        RecordingPublisher publisher = new RecordingPublisher(plan.instance());
        Replay replay = new Replay(plan, publisher, first);
        first.atPause(() -> {
            if (publisher.events().size() == 3) {
                replay.stop();
            }
        });
        ReplayReport stopped = replay.run(progress -> {});
        assertThat(stopped.end()).isEqualTo(ReplayReport.End.STOPPED);
        assertThat(publisher.events()).hasSize(3);
        assertThat(Files.readString(resume)).contains("\"acknowledged\"");

        // A day later another process goes on.
        SimulatedClock second = new SimulatedClock(START.plus(Duration.ofDays(1)));
        ReplayPlan further =
                ReplayPlan.of(read(TraceFormat.AGENTIC, small("agentic.csv")), timing, Optional.of(resume), second);
        assertThat(further.instance()).isEqualTo(plan.instance());
        RecordingPublisher rest = new RecordingPublisher(further.instance());
        ReplayReport report = new Replay(further, rest, second).run(progress -> {});
        assertThat(second.pauses()).as("everything is long due").isEmpty();
        assertThat(report.isComplete()).isTrue();
        assertThat(report.sentEarlier()).isEqualTo(3);
        assertThat(report.acknowledged()).isEqualTo(6);

        List<RequestEvent> together = new ArrayList<>(publisher.events());
        together.addAll(rest.events());
        assertThat(together).isEqualTo(whole.events);

        // And a third finds nothing to do.
        RecordingPublisher none = new RecordingPublisher(further.instance());
        ReplayPlan done = ReplayPlan.of(trace, timing, Optional.of(resume), second);
        assertThat(new Replay(done, none, second).run(progress -> {}).isComplete())
                .isTrue();
        assertThat(none.events()).isEmpty();
    }

    @Test
    void aResumeFileOfAnotherReplayIsRefused() {
        Path resume = directory.resolve("resume.json");
        Trace trace = read(TraceFormat.AZURE, small("azure.csv"));
        ReplayPlan plan = ReplayPlan.of(trace, ReplayTiming.speedup(600), Optional.of(resume), clock);
        new Replay(plan, new RecordingPublisher(plan.instance()), clock).run(progress -> {});

        assertThatThrownBy(() -> ReplayPlan.of(trace, ReplayTiming.speedup(100), Optional.of(resume), clock))
                .isInstanceOf(BadTraceException.class)
                .hasMessageContaining("resume file " + resume + ": must be of the same replay")
                .hasMessageContaining("found compress 600.0, now 100.0");
        Trace other = read(TraceFormat.BURSTGPT, small("burstgpt-six.csv"));
        assertThatThrownBy(() -> ReplayPlan.of(other, ReplayTiming.speedup(600), Optional.of(resume), clock))
                .hasMessageContaining("must be of the same replay");
        Path nonsense = write(directory, "nonsense.json", "{\"a\": 1}");
        assertThatThrownBy(() -> ReplayPlan.of(trace, ReplayTiming.max(), Optional.of(nonsense), clock))
                .isInstanceOf(BadTraceException.class)
                .hasMessageContaining("must be one that a replay wrote");
    }

    @Test
    void trc04HeartbeatsPushEventTimeOnThroughALongSilence() {
        Path file = write(directory, "silence.csv", """
                TIMESTAMP,ContextTokens,GeneratedTokens
                2023-11-16 18:17:03.0000000,10,1
                2023-11-16 18:20:40.1689520,11,1
                """);
        ReplayPlan plan =
                ReplayPlan.of(read(TraceFormat.AZURE, file), ReplayTiming.speedup(10), Optional.empty(), clock);
        RecordingPublisher publisher = new RecordingPublisher(plan.instance());
        Replay replay = new Replay(plan, publisher, clock);
        Set<Long> eventTimes = new HashSet<>();
        clock.atPause(() -> {
            for (ReplicaState replica : replay.replicas()) {
                assertThat(replica.eventTimeMicros()).isLessThanOrEqualTo(micros(clock.instant()));
                if (publisher.events().size() < 2) {
                    // The second row may still come and must not be late.
                    assertThat(replica.eventTimeMicros()).isLessThan(START_MICROS + 21_716_895);
                }
                eventTimes.add(replica.eventTimeMicros());
            }
        });
        replay.run(progress -> {});
        // 21.7 s of wall time in pauses of 0.2 s
        assertThat(eventTimes).hasSizeGreaterThan(100);
        assertThat(clock.pauses()).allSatisfy(pause -> assertThat(pause).isPositive());
        assertThat(publisher.events().get(1).getCompletedAtMicros()).isEqualTo(START_MICROS + 21_716_895);
    }

    @Test
    void heartbeatsReconcileStartedEndedAndOpenRequestsAtEveryMoment() {
        Trace trace = read(TraceFormat.AGENTIC, small("agentic.csv"));
        ReplayPlan plan = ReplayPlan.of(trace, ReplayTiming.speedup(1), Optional.empty(), clock);
        RecordingPublisher publisher = new RecordingPublisher(plan.instance());
        Replay replay = new Replay(plan, publisher, clock);
        Set<Long> open = new HashSet<>();
        Set<Long> awaiting = new HashSet<>();
        clock.atPause(() -> {
            List<ReplicaState> replicas = replay.replicas();
            for (ReplicaState replica : replicas) {
                assertThat(replica.startedTotal())
                        .isEqualTo(replica.completedTotal()
                                + replica.failedTotal()
                                + replica.cancelledTotal()
                                + replica.openRequests());
                assertThat(replica.oldestOpenMicros() == null).isEqualTo(replica.openRequests() == 0);
            }
            long ended =
                    replicas.stream().mapToLong(ReplicaState::completedTotal).sum();
            assertThat(ended).isEqualTo(publisher.events().size());
            open.add(replicas.stream().mapToLong(ReplicaState::openRequests).sum());
            awaiting.add(replicas.stream()
                    .mapToLong(ReplicaState::awaitingFirstToken)
                    .sum());
        });
        replay.run(progress -> {});
        assertThat(open).contains(0L, 1L);
        assertThat(awaiting).contains(0L, 1L);
    }

    @Test
    void theLastHeartbeatCarriesTheLastEventTimeAndLaterOnesMayGoFurther() {
        Run run = run(read(TraceFormat.AZURE, small("azure.csv")), ReplayTiming.max());
        int replicas = run.replay.replicas().size();
        assertThat(run.publisher.heartbeats())
                .hasSize(replicas)
                .allSatisfy(heartbeat -> assertThat(heartbeat.eventTimeMicros()).isEqualTo(START_MICROS));

        run.replay.heartbeat(START.plusSeconds(30));
        assertThat(run.publisher.heartbeats().subList(replicas, 2 * replicas))
                .allSatisfy(heartbeat -> assertThat(heartbeat.eventTimeMicros()).isEqualTo(START_MICROS + 30_000_000));
        assertThat(run.replay.replicas())
                .as("event time never goes back")
                .allSatisfy(replica -> assertThat(replica.eventTimeMicros()).isEqualTo(START_MICROS + 30_000_000));
    }

    @Test
    void progressIsToldAndSaysWhatIsLeft() {
        Trace trace = read(TraceFormat.AGENTIC, small("agentic.csv"));
        ReplayPlan plan = ReplayPlan.of(trace, ReplayTiming.speedup(10), Optional.empty(), clock);
        List<ReplayProgress> told = new ArrayList<>();
        new Replay(plan, new RecordingPublisher(plan.instance()), clock).run(told::add);

        assertThat(told).hasSizeGreaterThan(5);
        ReplayProgress last = told.get(told.size() - 1);
        assertThat(last.sent()).isEqualTo(6);
        assertThat(last.rows()).isEqualTo(6);
        assertThat(last.acknowledged()).isEqualTo(6);
        assertThat(last.remaining()).contains(Duration.ZERO);
        assertThat(told).extracting(ReplayProgress::sent).isSorted();
        assertThat(told.get(0).remaining())
                .hasValueSatisfying(left -> assertThat(left).isPositive());
        assertThat(TerminalProgress.line(new ReplayProgress(
                        1_500, 49_334, 1_400, 0, 123.4, START, Optional.of(Duration.ofMillis(61_500)))))
                .isEqualTo("1,500 of 49,334 sent (3 %), 123/s, 1,400 acknowledged, 0 failed, 1:02 left");
    }

    @Test
    void aReplayGivesUpWhenKafkaTakesNothingAnyMore() {
        Trace trace = read(TraceFormat.AZURE, small("azure.csv"));
        ReplayPlan plan = ReplayPlan.of(trace, ReplayTiming.max(), Optional.empty(), clock);
        RecordingPublisher publisher = new RecordingPublisher(plan.instance());
        publisher.hang();
        ReplayClock ticking = new ReplayClock() {
            @Override
            public Instant instant() {
                clock.pass(Duration.ofMillis(200));
                return clock.instant();
            }

            @Override
            public void pause(Duration duration) {
                clock.pass(duration);
            }
        };
        ReplayReport report = new Replay(plan, publisher, ticking).run(progress -> {});
        assertThat(report.end()).isEqualTo(ReplayReport.End.STALLED);
        assertThat(report.isComplete()).isFalse();
        assertThat(report.elapsed()).isGreaterThan(Duration.ofMinutes(2));
    }

    private Run run(Trace trace, ReplayTiming timing) {
        ReplayPlan plan = ReplayPlan.of(trace, timing, Optional.empty(), clock);
        RecordingPublisher publisher = new RecordingPublisher(plan.instance());
        Replay replay = new Replay(plan, publisher, clock);
        ReplayReport report = replay.run(progress -> {});
        return new Run(report, publisher.events(), publisher, replay);
    }

    private static long micros(Instant instant) {
        return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
    }
}
