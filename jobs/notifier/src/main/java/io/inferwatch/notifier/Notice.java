package io.inferwatch.notifier;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What Alertmanager is told of an alert.
 *
 * @param labels its identity
 * @param annotations what is shown; may change
 * @param startsAt when it began
 * @param endedAt when it ended; null while it fires
 * @param generatorUrl where to look; empty when nobody said where that is
 */
record Notice(
        Map<String, String> labels,
        Map<String, String> annotations,
        Instant startsAt,
        @Nullable Instant endedAt,
        String generatorUrl) {
    Notice {
        labels = Map.copyOf(labels);
        annotations = Map.copyOf(annotations);
    }

    boolean isFiring() {
        return endedAt == null;
    }

    /** The same alert, ended. */
    Notice ended(Instant at) {
        return new Notice(labels, annotations, startsAt, at, generatorUrl);
    }

    /** The same with one more annotation. */
    Notice with(String annotation, String text) {
        Map<String, String> more = new HashMap<>(annotations);
        more.put(annotation, text);
        return new Notice(labels, more, startsAt, endedAt, generatorUrl);
    }
}
