package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.slo.BurnCondition;
import io.inferwatch.analytics.slo.ConditionStatus;
import io.inferwatch.analytics.slo.ObjectiveStatus;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.Evidence;
import io.inferwatch.schemas.Severity;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.settings.Settings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Alerts of objectives, with the figures behind them. */
final class SloAlerts {
    /** Name of the alert that a budget burns too fast, and of its runbook page. */
    static final String BURN = "slo-burn";

    /** Name of the alert that nothing is known of an objective, and of its runbook page. */
    static final String NO_DATA = "slo-no-data";

    private SloAlerts() {}

    /** A condition of an objective, as if it fired. */
    static Alert burn(Promise promise, WindowStat window, ObjectiveStatus status, ConditionStatus condition) {
        BurnCondition rule = condition.condition();
        Map<String, String> labels = labels(promise, window);
        labels.put("condition", rule.name());
        return new Alert(
                String.join(":", BURN, promise.name(), window.getSeries(), rule.name()),
                BURN,
                AlertState.FIRING,
                rule.tier() == BurnCondition.Tier.PAGE ? Severity.PAGE : Severity.TICKET,
                condition.sinceMicros().orElse(status.atMicros()),
                status.atMicros(),
                null,
                labels,
                summary(promise, window, status, rule),
                evidence(promise, status, condition),
                List.of());
    }

    /** Missing data of an objective, as if there were none; empty where its owner does not want to hear of that. */
    static Optional<Alert> noData(Promise promise, WindowStat window, ObjectiveStatus status) {
        return promise.whenNoData()
                .map(severity -> new Alert(
                        String.join(":", NO_DATA, promise.name(), window.getSeries()),
                        NO_DATA,
                        AlertState.FIRING,
                        severity,
                        status.lastDataMicros().orElse(status.atMicros()),
                        status.atMicros(),
                        null,
                        labels(promise, window),
                        "Nothing is known of " + what(promise, window)
                                + " any more: what fires goes on, and nothing new can be found",
                        status.budgetLeft().isPresent()
                                ? List.of(new Evidence(
                                        "error budget left", status.budgetLeft().getAsDouble(), null, null))
                                : List.of(),
                        List.of()));
    }

    /** Why an alert of the condition ends. */
    static String over(ConditionStatus condition) {
        return "burns its error budget " + times(condition.shortBurn()) + " over "
                + Settings.write(condition.condition().shortWindow()) + " again";
    }

    /**
     * The alert when it has ended.
     *
     * @param why what follows the objective in a sentence
     */
    static Alert over(Alert firing, AlertState state, long atMicros, String why) {
        return new Alert(
                firing.getFingerprint(),
                firing.getName(),
                state,
                firing.getSeverity(),
                firing.getStartsAtMicros(),
                atMicros,
                atMicros,
                firing.getLabels(),
                firing.getLabels().get("slo") + " " + why,
                firing.getEvidence(),
                List.of());
    }

    private static Map<String, String> labels(Promise promise, WindowStat window) {
        Map<String, String> labels = new TreeMap<>();
        labels.put("slo", promise.name());
        labels.put("service", promise.spec().service());
        labels.put("view", window.getView());
        window.getDimensions().forEach(of -> labels.put(of.getName(), of.getValue()));
        return labels;
    }

    private static String summary(Promise promise, WindowStat window, ObjectiveStatus status, BurnCondition rule) {
        StringBuilder text = new StringBuilder(what(promise, window))
                .append(" burns its error budget ")
                .append(times(status.burn()))
                .append(String.format(
                        Locale.ROOT,
                        ", and at least %.4g times over %s and %s",
                        rule.factor(),
                        Settings.write(rule.longWindow()),
                        Settings.write(rule.shortWindow())));
        status.budgetLeft()
                .ifPresent(left -> text.append(String.format(Locale.ROOT, ": %.0f %% of it is left", 100 * left)));
        status.exhaustedInMicros()
                .ifPresent(micros -> text.append(
                        micros == 0 ? ", all is spent" : ", for " + round(Duration.ofNanos(1_000 * micros))));
        return text.toString();
    }

    private static String what(Promise promise, WindowStat window) {
        String of = window.getDimensions().stream()
                .map(dimension -> dimension.getName() + " " + dimension.getValue())
                .collect(Collectors.joining(", "));
        return promise.name()
                + (promise.spec().displayName().isEmpty()
                        ? ""
                        : " (" + promise.spec().displayName() + ")")
                + (of.isEmpty() ? "" : " of " + of);
    }

    private static String times(OptionalDouble burn) {
        return burn.isPresent()
                ? String.format(Locale.ROOT, "%.3g times as fast as it may", burn.getAsDouble())
                : "nobody knows how fast";
    }

    private static String round(Duration duration) {
        return duration.toHours() >= 48
                ? duration.toDays() + " days"
                : duration.toHours() >= 2 ? duration.toHours() + " hours" : duration.toMinutes() + " minutes";
    }

    private static List<Evidence> evidence(Promise promise, ObjectiveStatus status, ConditionStatus condition) {
        BurnCondition rule = condition.condition();
        List<Evidence> evidence = new ArrayList<>();
        condition.longBurn().ifPresent(burn -> evidence.add(burn(burn, rule.longWindow(), rule.factor())));
        condition.shortBurn().ifPresent(burn -> evidence.add(burn(burn, rule.shortWindow(), rule.factor())));
        evidence.add(new Evidence(
                "bad requests",
                (double) status.counted().bad(),
                null,
                "of " + status.counted().total() + " that count in the period so far"));
        status.attained()
                .ifPresent(share -> evidence.add(new Evidence(
                        "good share",
                        share,
                        null,
                        "promised are " + promise.objective().target())));
        status.budgetLeft().ifPresent(left -> evidence.add(new Evidence("error budget left", left, null, null)));
        status.exhaustedInMicros()
                .ifPresent(micros -> evidence.add(
                        new Evidence("seconds until it is spent", micros / 1e6, null, "at the last hour's pace")));
        return evidence;
    }

    private static Evidence burn(double burn, Duration window, double factor) {
        return new Evidence(
                "burn over " + Settings.write(window),
                burn,
                null,
                String.format(Locale.ROOT, "alerts from %.4g on", factor));
    }
}
