package io.inferwatch.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.influx.InfluxWriter.BatchReport;
import io.inferwatch.influx.InfluxWriter.Refusal;
import io.inferwatch.influx.RefusalReason;
import io.inferwatch.influx.WriteAnswer;
import io.inferwatch.jobs.ingest.InboundRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class PointSenderTest {
    private static final BatchReport WRITTEN = new BatchReport(List.of(), List.of(), Optional.empty());
    private static final WriterSettings EAGER = settings(10, 100, Duration.ZERO);

    private final List<List<String>> requests = Collections.synchronizedList(new ArrayList<>());
    private final List<String> refused = Collections.synchronizedList(new ArrayList<>());

    @Test
    void sendsEverythingInOrderAndInBatches() throws Exception {
        try (PointSender sender = start(settings(10, 1_000, Duration.ofMinutes(1)), this::record)) {
            for (int i = 0; i < 95; i++) {
                sender.add(point("s" + i, i, 0));
            }
            sender.drain();

            assertThat(requests.stream().flatMap(List::stream))
                    .containsExactlyElementsOf(IntStream.range(0, 95)
                            .mapToObj(i -> "s" + i + " n=" + i)
                            .toList());
            assertThat(requests).allSatisfy(request -> assertThat(request).hasSizeLessThanOrEqualTo(10));
        }
    }

    @Test
    void aBatchLeavesWhenItsOldestPointHasWaitedLongEnough() throws Exception {
        CountDownLatch sent = new CountDownLatch(1);
        try (PointSender sender = start(settings(10, 100, Duration.ofMillis(20)), (policy, lines) -> {
            sent.countDown();
            return WRITTEN;
        })) {
            sender.add(point("s", 1, 0));

            assertThat(sent.await(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aBatchEndsAtItsBytes() throws Exception {
        WriterSettings settings =
                new WriterSettings(10, 1_000, 100, Duration.ofMinutes(1), Duration.ofMillis(1), Duration.ofMillis(2));
        try (PointSender sender = start(settings, this::record)) {
            for (int i = 0; i < 5; i++) {
                sender.add(point("s" + i + "x".repeat(400), i, 0));
            }
            sender.drain();

            assertThat(requests).extracting(List::size).containsExactly(2, 2, 1);
        }
    }

    @Test
    void ofTwoHeldPointsOfOneSeriesAndTimeTheTruerStays() throws Exception {
        try (PointSender sender = start(settings(10, 100, Duration.ofMinutes(1)), this::record)) {
            sender.add(point("a", 5, 1));
            sender.add(point("b", 3, 0));
            sender.add(point("a", 4, 0));
            sender.add(point("b", 4, 1));
            sender.add(point("b", 4, 2));
            sender.drain();

            assertThat(requests).containsExactly(List.of("a n=5", "b n=4"));
        }
    }

    @Test
    void eachRetentionPolicyHasItsOwnRequest() throws Exception {
        List<String> policies = Collections.synchronizedList(new ArrayList<>());
        try (PointSender sender = start(settings(10, 100, Duration.ofMinutes(1)), (policy, lines) -> {
            policies.add(policy + lines);
            return WRITTEN;
        })) {
            sender.add(new StoredPoint("r1m", "1", "a", 0, 0, origin()));
            sender.add(new StoredPoint("r1h", "2", "b", 0, 0, origin()));
            sender.add(new StoredPoint("r1m", "3", "c", 0, 0, origin()));
            sender.drain();

            assertThat(policies).containsExactly("r1m[a, c]", "r1h[b]");
        }
    }

    @Test
    void retriesOnlyWhatIsNotDoneUntilItIs() throws Exception {
        List<BatchReport> script = new ArrayList<>(List.of(
                away(4),
                // The first line is stored, the second refused, the others are still to be sent.
                new BatchReport(
                        List.of(new Refusal(1, RefusalReason.UNPARSABLE, "unable to parse")),
                        List.of(2, 3),
                        Optional.of(new WriteAnswer.Retryable("HTTP 503"))),
                away(2),
                WRITTEN));
        try (PointSender sender = start(settings(10, 100, Duration.ofMinutes(1)), (policy, lines) -> {
            requests.add(lines);
            return script.remove(0);
        })) {
            for (int i = 0; i < 4; i++) {
                sender.add(point("s" + i, i, 0));
            }
            sender.drain();

            List<String> all = List.of("s0 n=0", "s1 n=1", "s2 n=2", "s3 n=3");
            assertThat(requests).containsExactly(all, all, all.subList(2, 4), all.subList(2, 4));
            assertThat(refused).containsExactly("s1 n=1: unparsable");
        }
    }

    @Test
    void holdsTheCallerBackAndLosesNothingWhileTheServerIsAway() throws Exception {
        CountDownLatch back = new CountDownLatch(1);
        List<String> stored = Collections.synchronizedList(new ArrayList<>());
        ExecutorService caller = Executors.newSingleThreadExecutor();
        try (PointSender sender = start(settings(5, 20, Duration.ZERO), (policy, lines) -> {
            if (back.getCount() > 0) {
                return away(lines.size());
            }
            stored.addAll(lines);
            return WRITTEN;
        })) {
            AtomicInteger added = new AtomicInteger();
            Future<?> adding = caller.submit(() -> {
                for (int i = 0; i < 100; i++) {
                    sender.add(point("s" + i, i, 0));
                    added.incrementAndGet();
                }
                sender.drain();
                return null;
            });
            while (added.get() < 20) {
                Thread.onSpinWait();
            }
            assertThatThrownBy(() -> adding.get(200, TimeUnit.MILLISECONDS))
                    .isInstanceOf(java.util.concurrent.TimeoutException.class);
            assertThat(added).hasValue(20);
            assertThat(stored).isEmpty();

            back.countDown();
            adding.get(20, TimeUnit.SECONDS);

            assertThat(stored)
                    .containsExactlyElementsOf(IntStream.range(0, 100)
                            .mapToObj(i -> "s" + i + " n=" + i)
                            .toList());
        } finally {
            caller.shutdownNow();
        }
    }

    @Test
    void refusedPointsAreHandedOverBeforeTheyCountAsDone() throws Exception {
        try (PointSender sender = start(
                settings(10, 100, Duration.ofMinutes(1)),
                (policy, lines) -> new BatchReport(
                        List.of(new Refusal(1, RefusalReason.FIELD_TYPE_CONFLICT, "input field \"v\"")),
                        List.of(),
                        Optional.empty()))) {
            sender.add(point("a", 1, 0));
            sender.add(point("b", 2, 0));
            sender.drain();

            assertThat(refused).containsExactly("b n=2: field-type-conflict");
        }
    }

    @Test
    void whatOnlyAPersonCanRightEndsIt() throws Exception {
        try (PointSender sender = start(
                EAGER,
                (policy, lines) -> new BatchReport(
                        List.of(),
                        IntStream.range(0, lines.size()).boxed().toList(),
                        Optional.of(new WriteAnswer.Fatal("HTTP 401: check the credentials"))))) {
            sender.add(point("a", 1, 0));

            assertThatThrownBy(sender::drain)
                    .isInstanceOf(UnwritableException.class)
                    .hasMessage("InfluxDB takes no points: HTTP 401: check the credentials");
            assertThatThrownBy(() -> sender.add(point("b", 2, 0))).isInstanceOf(UnwritableException.class);
        }
    }

    @Test
    void closingEndsTheThreadInTheMiddleOfAWait() throws Exception {
        CountDownLatch tried = new CountDownLatch(1);
        WriterSettings patient =
                new WriterSettings(10, 1_000, 100, Duration.ZERO, Duration.ofMinutes(5), Duration.ofMinutes(5));
        PointSender sender = start(patient, (policy, lines) -> {
            tried.countDown();
            return away(lines.size());
        });
        sender.add(point("a", 1, 0));
        assertThat(tried.await(10, TimeUnit.SECONDS)).isTrue();

        sender.close();

        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().equals("sender-under-test"));
    }

    @Test
    void settingsThatCannotWorkAreNamed() {
        assertThatThrownBy(() -> settings(0, 100, Duration.ZERO))
                .hasMessage("batch-points: must be between 1 and 100000, found 0");
        assertThatThrownBy(() -> settings(10, 5, Duration.ZERO))
                .hasMessage("unacknowledged-points: must be between 10 and 1000000, found 5");
        assertThatThrownBy(() -> settings(10, 100, Duration.ofHours(1)))
                .hasMessage("linger: must be between PT0S and PT1M, found PT1H");
    }

    private PointSender start(WriterSettings settings, PointSender.Lines lines) {
        PointSender sender = new PointSender(
                lines, settings, new WriterCounters(new UnregisteredMetricsGroup()), "sender-under-test");
        sender.start((point, refusal) ->
                refused.add(point.line() + ": " + refusal.reason().label()));
        return sender;
    }

    private BatchReport record(String policy, List<String> lines) {
        requests.add(lines);
        return WRITTEN;
    }

    private static BatchReport away(int lines) {
        return new BatchReport(
                List.of(),
                IntStream.range(0, lines).boxed().toList(),
                Optional.of(new WriteAnswer.Retryable("connection refused")));
    }

    private static WriterSettings settings(int batch, int held, Duration linger) {
        return new WriterSettings(batch, 1_000_000, held, linger, Duration.ofMillis(1), Duration.ofMillis(5));
    }

    private static StoredPoint point(String series, long requests, int revision) {
        return new StoredPoint("r1m", series, series + " n=" + requests, requests, revision, origin());
    }

    private static InboundRecord origin() {
        return new InboundRecord("inferwatch.windows", 0, 1, 2, null, new byte[0]);
    }
}
