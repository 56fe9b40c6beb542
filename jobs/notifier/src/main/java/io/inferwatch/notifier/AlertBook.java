package io.inferwatch.notifier;

import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The present state of every alert, as the compacted topic tells it, and what Alertmanager is to hear of it.
 *
 * <ul>
 *   <li>What fires stays until it is said to have ended, however long nothing more is heard of it.
 *   <li>What has ended stays for a quarter of an hour, so that every instance hears of it; what had ended earlier when it was read is not told at all.
 *   <li>An alert whose labels change, such as its severity, is another one to Alertmanager: the former one ends.
 *   <li>While nothing is heard of {@value #WATCHDOG}, what fires is marked as stale, the watchdog itself is not told any more, so that who watches for it
 *       notices, and {@value #SILENT} fires.
 * </ul>
 *
 * Thread safe.
 */
final class AlertBook {
    /** Always firing while all works. */
    static final String WATCHDOG = "InferwatchWatchdog";

    /** Fires while nothing is heard of it. */
    static final String SILENT = "InferwatchSilent";

    private static final Duration KEPT = Duration.ofMinutes(15);
    private static final String SILENT_FINGERPRINT = SILENT + ":";

    private final NoticeWriter writer;
    private final Duration staleAfter;
    private final Map<String, Entry> entries = new HashMap<>();
    private Instant heardAt;
    private @Nullable Instant silentSince;
    private long versions;

    /** The present notice of one alert, and a number that grows with each change. */
    record Entry(Notice notice, long version) {}

    AlertBook(NoticeWriter writer, Duration staleAfter, Instant now) {
        this.writer = writer;
        this.staleAfter = staleAfter;
        this.heardAt = now;
    }

    /** What the topic said last when reading of it began; the time of the record tells how long ago that was. */
    synchronized void recall(String fingerprint, @Nullable Alert alert, Instant writtenAt, Instant now) {
        if (alert != null && alert.getName().equals(WATCHDOG) && writtenAt.isBefore(now)) {
            heardAt = writtenAt;
        }
        put(fingerprint, alert, now);
    }

    /** What the topic says now; null where the alert is gone from it. */
    synchronized void hear(String fingerprint, @Nullable Alert alert, Instant now) {
        if (alert != null && alert.getName().equals(WATCHDOG)) {
            heardAt = now;
        }
        put(fingerprint, alert, now);
    }

    private void put(String fingerprint, @Nullable Alert alert, Instant now) {
        Entry before = entries.get(fingerprint);
        if (alert == null || alert.getState() == AlertState.PENDING || alert.getSeverity() == Severity.ANNOTATION) {
            if (before != null && before.notice.isFiring()) {
                set(fingerprint, before.notice.ended(now));
            }
            return;
        }
        Notice notice = writer.write(alert);
        if (before != null
                && before.notice.isFiring()
                && !before.notice.labels().equals(notice.labels())) {
            set(fingerprint + " was " + before.version, before.notice.ended(now));
            entries.remove(fingerprint);
            before = null;
        }
        Instant endedAt = notice.endedAt();
        if (before == null && endedAt != null && !isKept(endedAt, now)) {
            return;
        }
        if (before == null || !before.notice.equals(notice)) {
            set(fingerprint, notice);
        }
    }

    private void set(String fingerprint, Notice notice) {
        if (notice.isFiring()) {
            // A former alert of the same labels would end it again each minute.
            entries.values()
                    .removeIf(entry ->
                            !entry.notice.isFiring() && entry.notice.labels().equals(notice.labels()));
        }
        entries.put(fingerprint, new Entry(notice, ++versions));
    }

    /** How many fire. */
    synchronized long firing() {
        return entries.values().stream()
                .filter(entry -> entry.notice.isFiring())
                .count();
    }

    /** What Alertmanager is to know now, by fingerprint. */
    synchronized Map<String, Entry> present(Instant now) {
        noteSilence(now);
        List<String> over = new ArrayList<>();
        Map<String, Entry> present = new HashMap<>();
        entries.forEach((fingerprint, entry) -> {
            Instant endedAt = entry.notice.endedAt();
            if (endedAt != null && !isKept(endedAt, now)) {
                over.add(fingerprint);
            } else if (silentSince == null || fingerprint.equals(SILENT_FINGERPRINT)) {
                present.put(fingerprint, entry);
            } else if (!WATCHDOG.equals(entry.notice.labels().get("alertname"))) {
                Notice marked = entry.notice.isFiring()
                        ? entry.notice.with("stale", "nothing was heard of the jobs since " + heardAt)
                        : entry.notice;
                present.put(fingerprint, new Entry(marked, entry.version));
            }
        });
        over.forEach(entries::remove);
        return present;
    }

    private void noteSilence(Instant now) {
        boolean isSilent = !now.isBefore(heardAt.plus(staleAfter));
        if (isSilent && silentSince == null) {
            silentSince = heardAt;
            set(SILENT_FINGERPRINT, silence(heardAt));
        } else if (!isSilent && silentSince != null) {
            silentSince = null;
            Entry silent = entries.get(SILENT_FINGERPRINT);
            if (silent != null) {
                set(SILENT_FINGERPRINT, silent.notice.ended(now));
            }
        }
    }

    private static Notice silence(Instant since) {
        return new Notice(
                Map.of("alertname", SILENT, "severity", "page"),
                Map.of(
                        "summary",
                        "Nothing was heard of the jobs since " + since
                                + ": what fires is kept as it was, and nothing new can be found"),
                since,
                null,
                "");
    }

    private static boolean isKept(Instant endedAt, Instant now) {
        return now.isBefore(endedAt.plus(KEPT));
    }
}
