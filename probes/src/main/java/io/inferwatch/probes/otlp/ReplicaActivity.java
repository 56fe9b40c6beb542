package io.inferwatch.probes.otlp;

import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.probes.publish.ReplicaState;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Heartbeats of the replicas whose spans arrive. A span comes when its request is over: of open requests nothing is known, so none are claimed.
 * A replica without a span for 10 minutes gets no more heartbeats, for this probe cannot tell whether it is idle or dead. Thread safe.
 */
final class ReplicaActivity {
    private static final Duration FORGET = Duration.ofMinutes(10);

    private final LongSupplier nanoClock;
    private final Map<String, Seen> replicas = new HashMap<>();

    private static final class Seen {
        private ReplicaIdentity identity;
        private @Nullable String model;
        private long atNanos;
        private long completed;
        private long failed;
        private long cancelled;

        Seen(ReplicaIdentity identity) {
            this.identity = identity;
        }
    }

    ReplicaActivity(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    synchronized void ended(ReplicaIdentity identity, @Nullable String model, Outcome outcome) {
        Seen seen = replicas.computeIfAbsent(identity.replica(), absent -> new Seen(identity));
        seen.identity = identity;
        seen.model = model == null ? seen.model : model;
        seen.atNanos = nanoClock.getAsLong();
        switch (outcome) {
            case OK, LENGTH -> seen.completed++;
            case CLIENT_CANCEL -> seen.cancelled++;
            default -> seen.failed++;
        }
    }

    synchronized List<ReplicaState> states() {
        long now = nanoClock.getAsLong();
        replicas.values().removeIf(seen -> now - seen.atNanos > FORGET.toNanos());
        List<ReplicaState> states = new ArrayList<>();
        replicas.forEach((name, seen) -> {
            ReplicaState.Placement placement = seen.identity.placement();
            states.add(new ReplicaState(
                    name,
                    new ReplicaState.Placement(
                            placement.node(),
                            placement.pod(),
                            placement.region(),
                            placement.pool(),
                            placement.model() == null ? seen.model : placement.model(),
                            placement.version()),
                    Source.OTLP,
                    null,
                    0,
                    0,
                    null,
                    seen.completed + seen.failed + seen.cancelled,
                    seen.completed,
                    seen.failed,
                    seen.cancelled));
        });
        return states;
    }
}
