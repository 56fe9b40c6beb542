package io.inferwatch.probes.publish;

import io.inferwatch.schemas.Topic;
import java.nio.charset.StandardCharsets;
import java.util.TreeSet;

/** One stream's numbering, the events of a topic with one key: what the next event gets, and up to where all are settled. Guarded by the publisher's lock. */
final class EventStream {
    private final Topic topic;
    private final String id;
    private final byte[] key;
    private final TreeSet<Long> settledAbove = new TreeSet<>();
    private long next;
    private long settledBelow;

    EventStream(Topic topic, String instance, String key, long firstSequence) {
        this.topic = topic;
        this.id = instance + "/" + key;
        this.key = key.getBytes(StandardCharsets.UTF_8);
        this.next = firstSequence;
        this.settledBelow = firstSequence;
    }

    Topic topic() {
        return topic;
    }

    String id() {
        return id;
    }

    byte[] key() {
        return key;
    }

    long next() {
        return next;
    }

    long take() {
        return next++;
    }

    long settledBelow() {
        return settledBelow;
    }

    void settle(long sequence) {
        if (sequence != settledBelow) {
            settledAbove.add(sequence);
            return;
        }
        settledBelow++;
        while (settledAbove.remove(settledBelow)) {
            settledBelow++;
        }
    }
}
