package io.inferwatch.probes.publish;

import java.nio.charset.StandardCharsets;
import java.util.TreeSet;

/** One replica's numbering: what the next event gets, and up to where all are settled. Guarded by the publisher's lock. */
final class ReplicaStream {
    private final String id;
    private final byte[] key;
    private final TreeSet<Long> settledAbove = new TreeSet<>();
    private long next;
    private long settledBelow;

    ReplicaStream(String instance, String replica, long firstSequence) {
        this.id = instance + "/" + replica;
        this.key = replica.getBytes(StandardCharsets.UTF_8);
        this.next = firstSequence;
        this.settledBelow = firstSequence;
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
