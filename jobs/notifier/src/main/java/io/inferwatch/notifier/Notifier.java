package io.inferwatch.notifier;

import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads alerts from Kafka and keeps every Alertmanager told of them, each in a thread of its own, so that one that does not answer delays no other. It
 * needs neither Flink nor InfluxDB, keeps nothing on disk, and begins with what the topic holds: after a restart the same alerts are told with the same labels
 * and the same beginning, which is no news to Alertmanager. While Kafka does not answer, what fires goes on firing.
 */
final class Notifier implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Notifier.class);
    private static final Duration EACH = Duration.ofMillis(250);
    private static final Duration REPORT_EACH = Duration.ofMinutes(10);
    private static final int LEASE_FACTOR = 4;

    private final AlertBook book;
    private final AlertTopic topic;
    private final NotifierCounts counts = new NotifierCounts();
    private final ExecutorService executor;
    private final List<Messenger> messengers = new ArrayList<>();
    private final InstantSource clock;
    private final CountDownLatch closed = new CountDownLatch(1);

    /** A notifier that does nothing yet. */
    Notifier(NotifierOptions.Checked options, InstantSource clock) {
        this.clock = clock;
        book = new AlertBook(options.writer(), options.staleAfter(), clock.instant());
        topic = new AlertTopic(options.kafka(), book, counts, clock);
        SplittableRandom random = new SplittableRandom();
        for (URI target : options.alertmanagers()) {
            AlertmanagerClient client = new AlertmanagerClient(
                    target, options.authorization(), options.resend().multipliedBy(LEASE_FACTOR));
            messengers.add(new Messenger(book, client, options.resend(), counts, random.split()));
        }
        executor = Executors.newFixedThreadPool(messengers.size() + 1, run -> {
            Thread thread = new Thread(run, "notifier");
            thread.setDaemon(true);
            return thread;
        });
    }

    NotifierCounts counts() {
        return counts;
    }

    AlertBook book() {
        return book;
    }

    /** Learns what fires, then begins; throws Kafka's exception where it does not answer. */
    void start() {
        try {
            topic.catchUp();
        } catch (RuntimeException e) {
            topic.close();
            throw e;
        }
        LOG.info("{} alerts fire; telling {} Alertmanagers", book.firing(), messengers.size());
        messengers.forEach(messenger -> executor.execute(() -> each(EACH, () -> tell(messenger))));
        executor.execute(() -> each(REPORT_EACH, () -> LOG.info("{} alerts fire; {}", book.firing(), counts)));
    }

    private void each(Duration pause, Runnable work) {
        try {
            while (!closed.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
                work.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void tell(Messenger messenger) {
        try {
            messenger.tell(clock.instant());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            // A thread that ends would be an Alertmanager that hears of nothing any more.
            LOG.error("Telling failed; the next try is in {} ms", EACH.toMillis(), e);
        }
    }

    /** Reads until it is closed. */
    void run() {
        try {
            while (closed.getCount() > 0) {
                try {
                    topic.read();
                } catch (KafkaException e) {
                    if (closed.getCount() > 0) {
                        LOG.warn("Kafka does not answer: {}", e.toString());
                    }
                }
            }
        } finally {
            topic.close();
        }
    }

    /** Ends {@link #run}, and all telling. What fires in Alertmanager ends there by itself, unless another notifier goes on. */
    @Override
    public void close() {
        closed.countDown();
        executor.shutdownNow();
    }
}
