package io.inferwatch.probes.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.probes.otlp.RequestJoin.Fate;
import io.inferwatch.probes.otlp.RequestJoin.Side;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Source;
import io.inferwatch.schemas.TokenSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RequestJoinTest {
    private static final long T0 = 1_700_000_000_000_000L;
    private static final long SECOND_NANOS = 1_000_000_000L;

    private final List<RequestEvent> published = new ArrayList<>();
    private final AtomicLong nanos = new AtomicLong(5);
    private final RequestJoin join = new RequestJoin(published::add, Duration.ofSeconds(10), 100, nanos::get);

    @Test
    void theSameRequestIsOneEventWhicheverSideIsFirst() {
        join.offer(Side.MEASURED, trace(measured(0), "a"));
        assertThat(published).isEmpty();
        assertThat(join.waiting()).isEqualTo(1);
        join.offer(Side.TOLD, trace(told(0), "a"));
        join.offer(Side.TOLD, trace(told(60), "b"));
        join.offer(Side.MEASURED, trace(measured(60), "b"));

        assertThat(published).hasSize(2).allSatisfy(event -> {
            assertThat(event.getSource()).isEqualTo(Source.PROXY);
            assertThat(event.getTtftMicros()).as("measured").isEqualTo(300_000);
            assertThat(event.getE2eMicros()).as("measured").isEqualTo(1_000_000);
            assertThat(event.getQueueMicros()).as("told").isEqualTo(50_000);
            assertThat(event.getEngineTtftMicros()).as("told").isEqualTo(250_000);
            assertThat(event.getEngineE2eMicros()).as("told").isEqualTo(900_000);
            assertThat(event.getPromptTokens()).as("measured").isEqualTo(10);
            assertThat(event.getOutputTokens()).as("told instead of guessed").isEqualTo(8);
            assertThat(event.getTokenSource()).isEqualTo(TokenSource.USAGE);
            assertThat(event.getTpotNanos()).as("0.7 s over 7 tokens").isEqualTo(100_000_000);
            assertThat(event.getMarks()).containsExactly("coalesced", "told-mark");
        });
        assertThat(join.waiting()).isZero();
        assertThat(fates()).containsEntry(Fate.JOINED, 2L).hasSize(1);
    }

    @Test
    void countedTokensAreNotReplaced() {
        RequestEvent exact = trace(measured(0), "a");
        exact.setTokenSource(TokenSource.USAGE);
        join.offer(Side.MEASURED, exact);
        join.offer(Side.TOLD, trace(told(0), "a"));
        assertThat(published.get(0).getOutputTokens()).isEqualTo(5);
    }

    @Test
    void requestIdsJoinWhereThereIsNoTrace() {
        RequestEvent byHeader = measured(0);
        byHeader.setRequestId("req-1");
        RequestEvent span = told(0);
        span.setEngineRequestId("chatcmpl-req-1");
        join.offer(Side.MEASURED, byHeader);
        join.offer(Side.TOLD, span);

        RequestEvent byAnswer = measured(0);
        byAnswer.setEngineRequestId("cmpl-5f3b");
        RequestEvent choice = told(0);
        choice.setEngineRequestId("cmpl-5f3b-0");
        join.offer(Side.TOLD, choice);
        join.offer(Side.MEASURED, byAnswer);

        RequestEvent recent = told(0);
        recent.setEngineRequestId("chatcmpl-req-7-0-1a2b3c4d");
        RequestEvent measuredRecent = measured(0);
        measuredRecent.setRequestId("req-7");
        join.offer(Side.TOLD, recent);
        join.offer(Side.MEASURED, measuredRecent);
        assertThat(published).hasSize(3).allSatisfy(event -> assertThat(event.getQueueMicros())
                .isEqualTo(50_000));
    }

    @Test
    void requestsUnderOneParentAreToldApartByIdsThenByTime() {
        RequestEvent first = trace(measured(0), "a");
        first.setEngineRequestId("chatcmpl-1");
        RequestEvent second = trace(measured(0), "a");
        second.setEngineRequestId("chatcmpl-2");
        join.offer(Side.MEASURED, first);
        join.offer(Side.MEASURED, second);
        RequestEvent span = trace(told(0), "a");
        span.setEngineRequestId("chatcmpl-2");
        span.setQueueMicros(2L);
        join.offer(Side.TOLD, span);
        assertThat(published).containsExactly(second);
        assertThat(second.getQueueMicros()).isEqualTo(2);

        join.offer(Side.MEASURED, trace(measured(20), "b"));
        RequestEvent later = trace(measured(22), "b");
        join.offer(Side.MEASURED, later);
        join.offer(Side.TOLD, trace(told(22), "b"));
        assertThat(published).containsExactly(second, later);
    }

    @Test
    void timesThatDoNotOverlapAreDifferentRequests() {
        join.offer(Side.MEASURED, trace(measured(0), "a"));
        join.offer(Side.TOLD, trace(told(4), "a"));
        assertThat(published).isEmpty();
        assertThat(join.waiting()).isEqualTo(2);
    }

    @Test
    void furtherSpansOfAJoinedRequestAreAbsorbed() {
        // Two choices arrive before the measured side, the third after it.
        join.offer(Side.TOLD, choice(0));
        join.offer(Side.TOLD, choice(1));
        join.offer(Side.MEASURED, choices());
        join.offer(Side.TOLD, choice(2));
        nanos.addAndGet(20 * SECOND_NANOS);
        join.expire();
        assertThat(published).hasSize(1);
        assertThat(fates()).containsEntry(Fate.JOINED, 1L).containsEntry(Fate.ABSORBED, 2L);
        assertThat(join.waiting()).isZero();
    }

    @Test
    void anotherRequestUnderTheSameParentIsNotAbsorbed() {
        join.offer(Side.MEASURED, choices());
        join.offer(Side.TOLD, choice(0));
        RequestEvent other = trace(told(0), "n");
        other.setEngineRequestId("cmpl-other-0");
        join.offer(Side.TOLD, other);
        assertThat(join.waiting()).isEqualTo(1);
    }

    @Test
    void whoWaitsTooLongIsPublishedAlone() {
        RequestEvent measured = trace(measured(0), "a");
        RequestEvent told = trace(told(0), "b");
        join.offer(Side.MEASURED, measured);
        nanos.addAndGet(3 * SECOND_NANOS);
        join.offer(Side.TOLD, told);
        nanos.addAndGet(7 * SECOND_NANOS - 1);
        join.expire();
        assertThat(published).isEmpty();
        nanos.addAndGet(1);
        join.expire();
        assertThat(published).containsExactly(measured);
        nanos.addAndGet(3 * SECOND_NANOS);
        join.expire();
        assertThat(published).containsExactly(measured, told);
        assertThat(fates()).containsEntry(Fate.TIMED_OUT, 2L);
        join.offer(Side.TOLD, trace(told(0), "a"));
        assertThat(join.waiting()).as("too late to be joined").isEqualTo(1);
    }

    @Test
    void nobodyWaitsForASideThatIsSilent() {
        nanos.addAndGet(Duration.ofMinutes(10).toNanos() + 1);
        join.offer(Side.MEASURED, trace(measured(0), "a"));
        assertThat(published).hasSize(1);
        assertThat(fates()).containsEntry(Fate.NOT_AWAITED, 1L);
        join.offer(Side.TOLD, trace(told(9), "b"));
        join.offer(Side.MEASURED, trace(measured(20), "c"));
        assertThat(join.waiting()).as("the other side speaks again").isEqualTo(2);
    }

    @Test
    void whatCannotBeFoundDoesNotWait() {
        join.offer(Side.MEASURED, measured(0));
        assertThat(published).hasSize(1);
        assertThat(fates()).containsEntry(Fate.NOT_AWAITED, 1L);
    }

    @Test
    void theOldestGoesAloneWhenThereIsNoRoom() {
        for (int i = 0; i < 103; i++) {
            join.offer(Side.MEASURED, trace(measured(i), "t" + i));
        }
        assertThat(published).extracting(RequestEvent::getTraceId).containsExactly("t0", "t1", "t2");
        assertThat(fates()).containsEntry(Fate.EVICTED, 3L);
        assertThat(join.waiting()).isEqualTo(100);
    }

    @Test
    void anIdThatAllRequestsShareFindsTheFirst64() {
        for (int i = 0; i < 65; i++) {
            RequestEvent event = trace(measured(100L * i), "t" + i);
            event.setRequestId("always-the-same");
            join.offer(Side.MEASURED, event);
        }
        for (int i : new int[] {63, 64}) {
            RequestEvent span = told(100L * i);
            span.setRequestId("always-the-same");
            join.offer(Side.TOLD, span);
        }
        assertThat(published).extracting(RequestEvent::getTraceId).containsExactly("t63");
        join.offer(Side.TOLD, trace(told(6_400), "t64"));
        assertThat(published).extracting(RequestEvent::getTraceId).containsExactly("t63", "t64");
    }

    @Test
    void closingPublishesWhatWaits() {
        join.offer(Side.MEASURED, trace(measured(0), "a"));
        join.offer(Side.TOLD, trace(told(0), "b"));
        join.close();
        assertThat(published).hasSize(2);
        join.offer(Side.MEASURED, trace(measured(0), "c"));
        assertThat(published).hasSize(3);
        assertThat(join.waiting()).isZero();
    }

    @Test
    void everyRequestComesOutOnceWhateverTheOrderSeed8() {
        Random random = new Random(8);
        List<Runnable> offers = new ArrayList<>();
        int both = 0;
        for (int i = 0; i < 5_000; i++) {
            String trace = "r" + i;
            int sides = 1 + random.nextInt(3);
            both += sides == 3 ? 1 : 0;
            long at = random.nextInt(1_000);
            if ((sides & 1) != 0) {
                offers.add(() -> join.offer(Side.MEASURED, trace(measured(at), trace)));
            }
            if ((sides & 2) != 0) {
                offers.add(() -> join.offer(Side.TOLD, trace(told(at), trace)));
            }
        }
        // Sides of a request come up to 40 places apart, fewer than there is room for.
        for (int i = 0; i < offers.size(); i++) {
            Collections.swap(offers, i, Math.min(offers.size() - 1, i + random.nextInt(20)));
        }
        offers.forEach(Runnable::run);
        join.close();
        Map<String, Integer> times = new HashMap<>();
        published.forEach(event -> times.merge(event.getTraceId(), 1, Integer::sum));
        assertThat(times).hasSize(5_000);
        long joined = fates().get(Fate.JOINED);
        assertThat(published).hasSize((int) (5_000 + both - joined));
        assertThat(joined).isGreaterThan(both * 9L / 10);
    }

    private Map<Fate, Long> fates() {
        Map<Fate, Long> happened = new HashMap<>(join.fates());
        happened.values().removeIf(count -> count == 0);
        return happened;
    }

    private static RequestEvent choice(int index) {
        RequestEvent event = trace(told(0), "n");
        event.setEngineRequestId("cmpl-x-" + index);
        return event;
    }

    private static RequestEvent choices() {
        RequestEvent event = trace(measured(0), "n");
        event.setEngineRequestId("cmpl-x");
        return event;
    }

    private static RequestEvent trace(RequestEvent event, String trace) {
        event.setTraceId(trace);
        event.setParentSpanId("p");
        return event;
    }

    private static RequestEvent measured(long atSeconds) {
        RequestEvent event = at(atSeconds);
        event.setSource(Source.PROXY);
        event.setTtftMicros(300_000L);
        event.setE2eMicros(1_000_000L);
        event.setPromptTokens(10L);
        event.setOutputTokens(5L);
        event.setTokenSource(TokenSource.CHUNKS);
        event.setMarks(List.of("coalesced"));
        return event;
    }

    private static RequestEvent told(long atSeconds) {
        RequestEvent event = at(atSeconds);
        event.setSource(Source.OTLP);
        event.setTtftMicros(250_000L);
        event.setE2eMicros(900_000L);
        event.setEngineTtftMicros(250_000L);
        event.setEngineE2eMicros(900_000L);
        event.setQueueMicros(50_000L);
        event.setPromptTokens(12L);
        event.setOutputTokens(8L);
        event.setTokenSource(TokenSource.USAGE);
        event.setMarks(List.of("told-mark"));
        return event;
    }

    private static RequestEvent at(long seconds) {
        RequestEvent event = new RequestEvent();
        event.setStartedAtMicros(T0 + seconds * 1_000_000);
        event.setCompletedAtMicros(T0 + seconds * 1_000_000 + 1_000_000);
        event.setOutcome(Outcome.OK);
        return event;
    }
}
