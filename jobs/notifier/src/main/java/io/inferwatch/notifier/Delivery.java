package io.inferwatch.notifier;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What one Alertmanager has been told, and what it is to be told next: changes at once, everything again each minute, since it forgets what it does not
 * hear of. There is one slot an alert, so that the newest state wins however long it could not be reached. Not thread safe.
 */
final class Delivery {
    private final Duration resend;
    private final Map<String, Told> told = new HashMap<>();

    /** What was said of an alert, and whether it was taken. */
    private record Told(long version, Instant at, boolean isTaken) {}

    /** One alert to tell of. */
    record Due(String fingerprint, AlertBook.Entry entry) {}

    Delivery(Duration resend) {
        this.resend = resend;
    }

    /** What is to be said now: what has changed, and what was said a minute ago. What was refused is said again when it has changed. */
    List<Due> due(Map<String, AlertBook.Entry> present, Instant now) {
        told.keySet().retainAll(present.keySet());
        List<Due> due = new ArrayList<>();
        present.forEach((fingerprint, entry) -> {
            Told last = told.get(fingerprint);
            if (last == null
                    || last.version < entry.version()
                    || (last.isTaken && !now.isBefore(last.at.plus(resend)))) {
                due.add(new Due(fingerprint, entry));
            }
        });
        return due;
    }

    /** It was taken. */
    void taken(Due due, Instant now) {
        told.put(due.fingerprint, new Told(due.entry.version(), now, true));
    }

    /** It was refused for what it is; to say it again would not help. */
    void refused(Due due, Instant now) {
        told.put(due.fingerprint, new Told(due.entry.version(), now, false));
    }
}
