package io.inferwatch.notifier;

import io.inferwatch.notifier.AlertmanagerClient.Answer;
import io.inferwatch.notifier.Delivery.Due;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells one Alertmanager what it is to know, in posts of at most 64 alerts. A post that is refused is said again alert by alert, so that one that is not
 * right holds up no other; one that fails is tried again after one second, then two and so on up to half a minute, each less a random part. Not thread safe.
 */
final class Messenger {
    private static final Logger LOG = LoggerFactory.getLogger(Messenger.class);
    private static final int BATCH = 64;
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    private final AlertBook book;
    private final AlertmanagerClient client;
    private final Delivery delivery;
    private final NotifierCounts counts;
    private final RandomGenerator random;
    private Duration pause = Duration.ZERO;
    private Instant notBefore = Instant.MIN;

    Messenger(
            AlertBook book, AlertmanagerClient client, Duration resend, NotifierCounts counts, RandomGenerator random) {
        this.book = book;
        this.client = client;
        this.delivery = new Delivery(resend);
        this.counts = counts;
        this.random = random;
    }

    /** Says what is due. */
    void tell(Instant now) throws InterruptedException {
        if (now.isBefore(notBefore)) {
            return;
        }
        List<Due> due = delivery.due(book.present(now), now);
        for (int from = 0; from < due.size(); from += BATCH) {
            if (!tell(due.subList(from, Math.min(due.size(), from + BATCH)), now)) {
                return;
            }
        }
    }

    /** Says these; false when it was of no use. */
    private boolean tell(List<Due> batch, Instant now) throws InterruptedException {
        Answer answer =
                client.post(batch.stream().map(due -> due.entry().notice()).toList(), now);
        if (answer instanceof Answer.Failed failed) {
            counts.failedPosts.increment();
            pause = pause.isZero() ? Duration.ofSeconds(1) : pause.multipliedBy(2);
            pause = pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
            notBefore = now.plusMillis(Math.round(pause.toMillis() * (1 - random.nextDouble() / 2)));
            LOG.warn("{} was not told of {} alerts, next try at {}: {}", client, batch.size(), notBefore, failed.why());
            return false;
        }
        pause = Duration.ZERO;
        if (answer instanceof Answer.Taken) {
            counts.taken.add(batch.size());
            batch.forEach(due -> delivery.taken(due, now));
        } else if (answer instanceof Answer.Refused refused && batch.size() == 1) {
            counts.refused.increment();
            delivery.refused(batch.get(0), now);
            LOG.error("{} refuses alert {}: {}", client, batch.get(0).fingerprint(), refused.why());
        } else {
            for (Due due : batch) {
                if (!tell(List.of(due), now)) {
                    return false;
                }
            }
        }
        return true;
    }
}
