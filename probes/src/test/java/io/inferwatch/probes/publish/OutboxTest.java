package io.inferwatch.probes.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.probes.publish.DiskSpool.Spooled;
import io.inferwatch.probes.publish.Outbox.Entry;
import io.inferwatch.schemas.Granularity;
import io.inferwatch.schemas.OperatorMetric;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Topic;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutboxTest {
    private final Exception away = new TimeoutException("away");
    private final Exception refused = new RecordTooLargeException("too large");

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void everyEventIsAccountedForAtEveryMoment(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Outbox outbox = outbox(50, 1 << 20);
        List<Entry> underWay = new ArrayList<>();
        Deque<Spooled> spool = new ArrayDeque<>();
        List<Spooled> draining = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            switch (random.nextInt(7)) {
                case 0, 1 -> publish(outbox, Events.of("replica-" + random.nextInt(3), i));
                case 2 -> {
                    outbox.takeNews();
                    underWay.addAll(outbox.take(1 + random.nextInt(5)));
                }
                case 3 -> {
                    if (!underWay.isEmpty()) {
                        outbox.completed(underWay.remove(random.nextInt(underWay.size())), outcome(random));
                    }
                }
                case 4 -> {
                    for (Entry entry : outbox.takeForSpool()) {
                        if (random.nextInt(10) == 0) {
                            outbox.lost(entry, DropReason.SPOOL_FULL);
                        } else {
                            outbox.spooled(entry);
                            spool.addLast(new Spooled("file", entry.stream().key(), entry.value()));
                        }
                    }
                }
                case 5 -> {
                    outbox.takeNews();
                    Spooled record = outbox.takeDrainAgain();
                    if (record == null) {
                        record = spool.pollFirst();
                    }
                    if (record != null) {
                        outbox.draining(record);
                        draining.add(record);
                    }
                }
                default -> {
                    if (!draining.isEmpty()) {
                        outbox.drained(draining.remove(random.nextInt(draining.size())), outcome(random));
                    }
                }
            }
            PublisherCounters counters = outbox.counters(0, 0);
            assertThat(counters.published())
                    .isEqualTo(counters.acknowledged()
                            + counters.droppedTotal()
                            + counters.inMemory()
                            + counters.inSpool());
            assertThat(counters.inMemory()).isBetween(0L, 50L);
        }
        assertThat(outbox.counters(0, 0).acknowledged()).isPositive();
        assertThat(outbox.counters(0, 0).drained()).isPositive();
        assertThat(outbox.counters(0, 0).dropped())
                .containsKeys(DropReason.MEMORY_FULL, DropReason.SPOOL_FULL, DropReason.REFUSED);
    }

    @Test
    void memoryIsBoundedInBytesToo() {
        Outbox outbox = outbox(1_000_000, 10_000);
        int taken = 0;
        while (publish(outbox, Events.of("replica-0", taken))) {
            taken++;
        }
        // An event of this kind is about 140 bytes and counts 100 more.
        assertThat(taken).isBetween(30, 60);
        assertThat(outbox.awaitRoom(Duration.ZERO)).isFalse();
    }

    @Test
    void whatComesBackGoesFirstInItsOldOrder() {
        Outbox outbox = outbox(100, 1 << 20);
        for (int i = 0; i < 4; i++) {
            publish(outbox, Events.of("replica-0", i));
        }
        List<Entry> first = outbox.take(3);
        outbox.completed(first.get(2), away);
        outbox.completed(first.get(0), away);
        outbox.putBack(List.of(first.get(1)));
        assertThat(outbox.hasFailed()).isTrue();
        assertThat(outbox.take(10))
                .as("nothing is sent until the failure was noted")
                .isEmpty();
        assertThat(outbox.takeNews().failure()).isSameAs(away);
        assertThat(outbox.take(10)).extracting(Entry::sequence).containsExactly(0L, 1L, 2L, 3L);
    }

    @Test
    void nothingIsSpooledBeforeOlderEventsHaveComeBackUnlessMemoryIsHalfFull() {
        Outbox outbox = outbox(10, 1 << 20);
        publish(outbox, Events.of("replica-0", 0));
        List<Entry> underWay = outbox.take(1);
        publish(outbox, Events.of("replica-0", 1));
        assertThat(outbox.takeForSpool()).isEmpty();
        outbox.completed(underWay.get(0), away);
        assertThat(outbox.takeForSpool()).extracting(Entry::sequence).containsExactly(0L, 1L);

        outbox.takeNews();
        Outbox pressed = outbox(10, 1 << 20);
        for (int i = 0; i < 6; i++) {
            publish(pressed, Events.of("replica-0", i));
        }
        assertThat(pressed.take(1)).hasSize(1);
        assertThat(pressed.takeForSpool()).extracting(Entry::sequence).containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    @Test
    void afterClosingEventsAreDroppedAndCounted() {
        Outbox outbox = outbox(10, 1 << 20);
        assertThat(outbox.beginClosing()).isTrue();
        assertThat(publish(outbox, Events.of("replica-0", 0))).isFalse();
        assertThat(outbox.counters(0, 0).dropped()).containsEntry(DropReason.CLOSED, 1L);
        assertThat(outbox.settledBelow("replica-0")).isEqualTo(1);
    }

    @Test
    void eachTopicNumbersItsOwnEvents() {
        Outbox outbox = outbox(10, 1 << 20);
        publish(outbox, Events.of("replica-0", 0));
        OperatorMetric metric = new OperatorMetric(
                "",
                -1L,
                1L,
                "replica-0",
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                "m",
                0.5,
                Granularity.LAYER,
                null,
                Map.of());
        outbox.publish(Topic.OPERATORS, "replica-0", metric);
        assertThat(metric.getStream()).isEqualTo("probe/replica-0");
        assertThat(metric.getSequence()).isZero();
        assertThat(outbox.take(2))
                .extracting(entry -> entry.stream().topic())
                .containsExactly(Topic.REQUESTS, Topic.OPERATORS);
    }

    @Test
    void aStreamCanBeginElsewhereButOnlyOnce() {
        Outbox outbox = outbox(10, 1 << 20);
        outbox.startStream("replica-0", 7);
        RequestEvent event = Events.of("replica-0", 0);
        publish(outbox, event);
        assertThat(event.getStream()).isEqualTo("probe/replica-0");
        assertThat(event.getSequence()).isEqualTo(7);
        assertThat(outbox.settledBelow("replica-0")).isEqualTo(7);
        assertThatThrownBy(() -> outbox.startStream("replica-0", 9))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("stream probe/replica-0: must not have begun, found it at 8");
    }

    private @Nullable Exception outcome(SplittableRandom random) {
        return switch (random.nextInt(10)) {
            case 0 -> refused;
            case 1, 2 -> away;
            default -> null;
        };
    }

    private static boolean publish(Outbox outbox, RequestEvent event) {
        return outbox.publish(Topic.REQUESTS, event.getReplica(), event);
    }

    private static Outbox outbox(int maxEvents, long maxBytes) {
        return new Outbox(
                PublisherSettings.of("probe", KafkaSettings.of("localhost:9092"))
                        .withMemory(maxEvents, maxBytes),
                0,
                0);
    }
}
