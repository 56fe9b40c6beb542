package io.inferwatch.notifier;

import static io.inferwatch.notifier.Alerts.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.Severity;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AlertBookTest {
    private static final Duration STALE_AFTER = Duration.ofMinutes(3);
    private static final NoticeWriter WRITER = new NoticeWriter(
            Optional.of(URI.create("http://grafana:3000")), Optional.of(URI.create("https://runbooks/")));

    private Instant now = START.plusSeconds(60);
    private final AlertBook book = new AlertBook(WRITER, STALE_AFTER, now);

    @Test
    void whatFiresIsToldWithAllThatAPersonNeeds() {
        hear(Alerts.firing("slo-burn", "ttft"));
        Notice notice = only();
        assertThat(notice.labels())
                .containsOnly(
                        Map.entry("alertname", "slo-burn"), Map.entry("severity", "page"), Map.entry("slo", "ttft"));
        assertThat(notice.annotations())
                .containsEntry("summary", "summary of slo-burn")
                .containsEntry("evidence", "burn: 17.25, was 14.40 (over an hour)")
                .containsEntry("causes", "queue (0.52)")
                .containsEntry("runbook_url", "https://runbooks/slo-burn.md")
                .containsEntry("fingerprint", "slo-burn:ttft");
        assertThat(notice.startsAt()).isEqualTo(START);
        assertThat(notice.isFiring()).isTrue();
        assertThat(notice.generatorUrl())
                .isEqualTo("http://grafana:3000/d/inferwatch-slo?from=" + (START.toEpochMilli() - 3_600_000) + "&to="
                        + (START.toEpochMilli() + 900_000));
    }

    /** Days without a word of it: who ends an alert is the job that began it. */
    @Test
    void nothingEndsByItself() {
        hear(Alerts.firing("slo-burn", "ttft"));
        now = now.plus(Duration.ofDays(3));
        assertThat(notices())
                .filteredOn(notice -> notice.labels().containsValue("slo-burn"))
                .singleElement()
                .matches(Notice::isFiring);
    }

    @Test
    void whatHasEndedIsToldForAQuarterOfAnHour() {
        hear(Alerts.firing("slo-burn", "ttft"));
        Instant end = now;
        hear(Alerts.resolved("slo-burn", "ttft", end));
        watchdog();
        now = now.plus(Duration.ofMinutes(14));
        assertThat(ended()).singleElement().satisfies(notice -> assertThat(notice.endedAt())
                .isEqualTo(end));
        now = now.plus(Duration.ofMinutes(1));
        assertThat(ended()).isEmpty();
    }

    /** A notifier that begins reads years of alerts that are over. */
    @Test
    void whatHadEndedLongAgoIsNotToldAtAll() {
        recall(Alerts.resolved("slo-burn", "old", now.minus(Duration.ofMinutes(16))), now);
        recall(Alerts.resolved("slo-burn", "new", now.minus(Duration.ofMinutes(14))), now);
        recall(Alerts.firing("slo-burn", "open"), now);
        assertThat(notices()).extracting(notice -> notice.labels().get("slo")).containsExactlyInAnyOrder("new", "open");
    }

    @Test
    void pendingAnnotationsAndTombstonesAreNotTold() {
        hear(Alerts.alert("slo-burn", AlertState.PENDING, Severity.PAGE, now, Map.of("slo", "a")));
        hear(Alerts.alert("slo-burn", AlertState.FIRING, Severity.ANNOTATION, now, Map.of("slo", "b")));
        assertThat(notices()).isEmpty();
        hear(Alerts.firing("slo-burn", "c"));
        book.hear("slo-burn:c", null, now);
        assertThat(only().endedAt()).isEqualTo(now);
    }

    /** A ticket that becomes a page has other labels: to Alertmanager it is another alert, and the first one must end. */
    @Test
    void anotherSeverityEndsTheFormerAlert() {
        hear(Alerts.alert("slo-burn", AlertState.FIRING, Severity.TICKET, now, Map.of("slo", "a")));
        hear(Alerts.firing("slo-burn", "a"));
        assertThat(notices()).hasSize(2);
        assertThat(ended()).singleElement().satisfies(notice -> assertThat(notice.labels())
                .containsEntry("severity", "ticket"));
        hear(Alerts.alert("slo-burn", AlertState.FIRING, Severity.TICKET, now, Map.of("slo", "a")));
        assertThat(notices()).filteredOn(Notice::isFiring).singleElement().satisfies(notice -> assertThat(
                        notice.labels())
                .containsEntry("severity", "ticket"));
        // What was a ticket before, and had ended, is the same alert: it must not be told twice.
        assertThat(notices())
                .filteredOn(notice -> notice.labels().containsValue("ticket"))
                .hasSize(1);
    }

    @Test
    void labelsAreThoseThatAlertmanagerTakes() {
        hear(Alerts.alert(
                "slo-burn", AlertState.FIRING, Severity.PAGE, now, Map.of("each-turn", "3", "9x", "y", "none", "")));
        assertThat(only().labels())
                .containsOnly(
                        Map.entry("alertname", "slo-burn"),
                        Map.entry("severity", "page"),
                        Map.entry("each_turn", "3"),
                        Map.entry("_9x", "y"));
    }

    @Test
    void versionsGrowWithChangesAlone() {
        hear(Alerts.firing("slo-burn", "a"));
        long first = book.present(now).get("slo-burn:a").version();
        hear(Alerts.firing("slo-burn", "a"));
        assertThat(book.present(now).get("slo-burn:a").version()).isEqualTo(first);
        hear(Alerts.resolved("slo-burn", "a", now));
        assertThat(book.present(now).get("slo-burn:a").version()).isGreaterThan(first);
    }

    @Test
    void silenceOfTheJobsMarksWhatFiresAndTellsOfItself() {
        watchdog();
        hear(Alerts.firing("slo-burn", "a"));
        Instant heard = now;
        now = now.plus(STALE_AFTER).minusMillis(1);
        assertThat(notices()).hasSize(2).noneMatch(notice -> notice.annotations()
                .containsKey("stale"));
        now = now.plusMillis(1);
        assertThat(notices())
                .extracting(notice -> notice.labels().get("alertname"))
                .containsExactlyInAnyOrder("slo-burn", AlertBook.SILENT);
        assertThat(named("slo-burn").annotations())
                .containsEntry("stale", "nothing was heard of the jobs since " + heard);
        assertThat(named("slo-burn").isFiring()).isTrue();
        assertThat(named(AlertBook.SILENT).startsAt()).isEqualTo(heard);
        assertThat(named(AlertBook.SILENT).labels()).containsEntry("severity", "page");
        // The jobs are back.
        now = now.plusSeconds(60);
        watchdog();
        assertThat(named(AlertBook.SILENT).endedAt()).isEqualTo(now);
        assertThat(named("slo-burn").annotations()).doesNotContainKey("stale");
        assertThat(named(AlertBook.WATCHDOG).isFiring()).isTrue();
    }

    /** Of a watchdog that lay in the topic the record's own time counts: the jobs may have been down for hours when the notifier begins. */
    @Test
    void anOldWatchdogIsNoSignOfLife() {
        recall(Alerts.watchdog(START), now.minus(Duration.ofHours(2)));
        recall(Alerts.firing("slo-burn", "a"), now.minus(Duration.ofHours(2)));
        assertThat(named(AlertBook.SILENT).startsAt()).isEqualTo(now.minus(Duration.ofHours(2)));
        assertThat(named("slo-burn").isFiring()).isTrue();
    }

    private void hear(Alert alert) {
        book.hear(alert.getFingerprint(), alert, now);
    }

    private void recall(Alert alert, Instant writtenAt) {
        book.recall(alert.getFingerprint(), alert, writtenAt, now);
    }

    private void watchdog() {
        hear(Alerts.watchdog(now));
    }

    private Collection<Notice> notices() {
        return book.present(now).values().stream().map(AlertBook.Entry::notice).toList();
    }

    private List<Notice> ended() {
        return notices().stream()
                .filter(notice -> !notice.isFiring() && !notice.labels().containsValue(AlertBook.SILENT))
                .toList();
    }

    private Notice only() {
        assertThat(notices()).hasSize(1);
        return notices().iterator().next();
    }

    private Notice named(String name) {
        return notices().stream()
                .filter(notice -> notice.labels().containsValue(name))
                .findFirst()
                .orElseThrow();
    }
}
