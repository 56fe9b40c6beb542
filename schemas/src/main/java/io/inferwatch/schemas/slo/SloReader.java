package io.inferwatch.schemas.slo;

import io.inferwatch.schemas.settings.Settings;
import io.inferwatch.schemas.slo.Documents.Document;
import io.inferwatch.schemas.slo.Documents.Kind;
import io.inferwatch.schemas.slo.IndicatorReader.Sli;
import io.inferwatch.schemas.slo.Shorthand.OfCalendar;
import io.inferwatch.schemas.slo.SloSpec.Slicing;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Reads SLOs. */
final class SloReader {
    private static final int MAX_DESCRIPTION = 1050;
    private static final Duration LEAST_WINDOW = Duration.ofDays(1);
    private static final Duration MOST_WINDOW = Duration.ofDays(92);
    private static final Duration MOST_LOOKBACK = Duration.ofDays(4);
    private static final List<String> METHODS = List.of("Occurrences", "Timeslices");
    private static final List<String> LIMIT = List.of("op", "value");
    private static final List<String> OPERATORS = List.of("lte", "gte", "lt", "gt");
    private static final DateTimeFormatter START = new DateTimeFormatterBuilder()
            .appendPattern("uuuu-MM-dd HH:mm")
            .optionalStart()
            .appendPattern(":ss")
            .optionalEnd()
            .parseDefaulting(ChronoField.SECOND_OF_MINUTE, 0)
            .toFormatter();

    private final Documents documents;
    private final IndicatorReader indicators;
    private final AlertReader alerts;

    SloReader(Documents documents, IndicatorReader indicators, AlertReader alerts) {
        this.documents = documents;
        this.indicators = indicators;
        this.alerts = alerts;
    }

    /**
     * An SLO.
     *
     * @param objectives what it promises; none where there are problems
     * @param parts the documents that it refers to, each once
     */
    record Slo(List<SloSpec> objectives, Set<Document> parts) {}

    Slo read(Document slo) {
        Settings spec = slo.spec();
        Set<Document> parts = new HashSet<>();
        String description = spec.text("description", "");
        if (description.length() > MAX_DESCRIPTION) {
            spec.problem(
                    "description", "at most " + MAX_DESCRIPTION + " characters", String.valueOf(description.length()));
        }
        String service = spec.text("service");
        Optional<Sli> sli = indicator(spec, parts);
        Optional<TimeWindow> window = window(spec);
        String method = spec.text("budgetingMethod");
        if (!method.isEmpty() && !METHODS.contains(method)) {
            spec.problem(
                    "budgetingMethod",
                    "one of " + String.join(", ", METHODS),
                    "'" + method + "'" + Settings.nearest(method, METHODS));
        }
        Optional<List<BurnSpec>> burns = burns(spec, window, parts);
        List<Settings> items = spec.items("objectives");
        if (items.isEmpty()) {
            spec.problem("objectives", "a list of at least one", "none");
        }
        boolean hasLimit = sli.isPresent() && sli.get().share().isEmpty();
        if (hasLimit && items.size() > 1) {
            spec.problem("objectives", "one, where single values have a limit", String.valueOf(items.size()));
        }
        List<SloSpec> objectives = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            Settings item = items.get(i);
            String name = items.size() == 1 ? slo.name() : slo.name() + "/" + (i + 1);
            String displayName = item.text("displayName", slo.displayName());
            for (String composite : List.of("indicator", "indicatorRef", "compositeWeight")) {
                if (item.has(composite)) {
                    item.problem(composite, "left out: composite objectives are not counted", "it");
                }
            }
            if (sli.isEmpty()) {
                // That it is missing is told; what it would be asked for is no problem.
                LIMIT.forEach(item::has);
            }
            Optional<Indicator> indicator = sli.flatMap(of -> indicator(of, item));
            Optional<Double> target = target(item);
            Optional<Slicing> slicing = slicing(item, method.equals("Timeslices"));
            target.ifPresent(share -> checkReach(spec, burns, share));
            if (sli.isPresent() && indicator.isPresent() && target.isPresent() && window.isPresent()) {
                objectives.add(new SloSpec(
                        name,
                        displayName,
                        service,
                        indicator.get(),
                        sli.get().view(),
                        sli.get().where(),
                        sli.get().leastPerSecond(),
                        target.get(),
                        slicing,
                        window.get(),
                        burns));
            }
        }
        return new Slo(objectives, parts);
    }

    private Optional<Sli> indicator(Settings spec, Set<Document> parts) {
        if (spec.has("indicator") == spec.has("indicatorRef")) {
            spec.problem("indicator, indicatorRef", "one of both", spec.has("indicator") ? "both" : "none");
            return Optional.empty();
        }
        if (spec.has("indicatorRef")) {
            Optional<Document> referred = documents.referred(spec, "indicatorRef", Kind.SLI);
            referred.ifPresent(parts::add);
            return referred.map(indicators::read);
        }
        Settings inline = spec.section("indicator");
        inline.has("kind");
        Settings metadata = inline.section("metadata");
        metadata.text("name", "");
        metadata.text("displayName", "");
        return Optional.of(indicators.readSpec(inline.section("spec")));
    }

    /** A limit, where single values have one; a ratio has none. */
    private static Optional<Indicator> indicator(Sli sli, Settings item) {
        if (sli.share().isPresent()) {
            for (String key : LIMIT) {
                if (item.has(key)) {
                    item.problem(key, "left out of a ratio", "it");
                }
            }
            return sli.share().map(share -> share);
        }
        String op = item.text("op");
        if (!op.isEmpty() && !OPERATORS.contains(op)) {
            item.problem("op", "one of " + String.join(", ", OPERATORS), "'" + op + "'");
        }
        Double value = item.number("value", 0, Double.MAX_VALUE);
        if (value == null) {
            return Optional.empty();
        }
        // A product such as 0.2 s in microseconds may come out a hair beside the whole number that it is.
        double stored = value * sli.unitsPerStored();
        double exact = Math.abs(stored - Math.rint(stored)) < 1e-6 * Math.max(1, stored) ? Math.rint(stored) : stored;
        if (exact < 1) {
            item.problem("value", "at least one unit in which the metric is stored", value.toString());
            return Optional.empty();
        }
        return sli.metric().filter(metric -> OPERATORS.contains(op)).map(metric -> switch (op) {
            case "lte" -> new Indicator.Values(metric.name(), true, (long) Math.floor(exact));
            case "lt" -> new Indicator.Values(metric.name(), true, (long) Math.ceil(exact) - 1);
            case "gte" -> new Indicator.Values(metric.name(), false, (long) Math.ceil(exact));
            default -> new Indicator.Values(metric.name(), false, (long) Math.floor(exact) + 1);
        });
    }

    private static Optional<Double> target(Settings item) {
        if (item.has("target") == item.has("targetPercent")) {
            item.problem("target, targetPercent", "one of both", item.has("target") ? "both" : "none");
            return Optional.empty();
        }
        if (item.has("target")) {
            return Optional.ofNullable(item.number("target", 0, 1));
        }
        return Optional.ofNullable(item.number("targetPercent", 0, 100))
                .map(percent -> BigDecimal.valueOf(percent).movePointLeft(2).doubleValue());
    }

    private static Optional<Slicing> slicing(Settings item, boolean isSliced) {
        if (!isSliced) {
            for (String key : List.of("timeSliceTarget", "timeSliceWindow")) {
                if (item.has(key)) {
                    item.problem(key, "left out where budgetingMethod is not Timeslices", "it");
                }
            }
            return Optional.empty();
        }
        Double target = item.number("timeSliceTarget", 0, Double.MAX_VALUE);
        if (target != null && (target == 0 || target > 1)) {
            item.problem("timeSliceTarget", "above 0 and at most 1", target.toString());
        }
        String text = item.text("timeSliceWindow");
        Optional<Duration> length = Shorthand.fixed(text)
                .filter(window -> window.toHours() <= 1 && Duration.ofHours(1).toNanos() % window.toNanos() == 0);
        if (length.isEmpty() && !text.isEmpty()) {
            item.problem(
                    "timeSliceWindow", "minutes of which an hour has a whole number, such as 5m", "'" + text + "'");
        }
        return target == null ? Optional.empty() : length.map(window -> new Slicing(window, target));
    }

    private static Optional<TimeWindow> window(Settings spec) {
        List<Settings> items = spec.items("timeWindow");
        if (items.size() != 1) {
            spec.problem("timeWindow", "a list of one", String.valueOf(items.size()));
            return Optional.empty();
        }
        Settings item = items.get(0);
        String text = item.text("duration");
        boolean isRolling = item.flag("isRolling", false);
        if (isRolling == item.has("calendar")) {
            item.problem("isRolling, calendar", "one of both", isRolling ? "both" : "none");
            return Optional.empty();
        }
        Optional<OfCalendar> period = Shorthand.calendar(text);
        Duration longest = isRolling
                ? Shorthand.fixed(text).orElse(Duration.ZERO)
                : period.map(OfCalendar::longest).orElse(Duration.ZERO);
        if (longest.compareTo(LEAST_WINDOW) < 0
                || longest.compareTo(isRolling ? MOST_WINDOW : MOST_WINDOW.plusDays(1)) > 0) {
            if (!text.isEmpty()) {
                item.problem(
                        "duration",
                        isRolling
                                ? "from 1d to 92d, in days or weeks"
                                : "from 1d to 1Q, in days, weeks, months or a quarter",
                        "'" + text + "'");
            }
            return Optional.empty();
        }
        return isRolling
                ? Optional.of(new TimeWindow.Rolling(longest))
                : calendar(item.section("calendar"), period.orElseThrow());
    }

    private static Optional<TimeWindow> calendar(Settings calendar, OfCalendar period) {
        String start = calendar.text("startTime");
        String zone = calendar.text("timeZone");
        Optional<LocalDateTime> anchor = Optional.empty();
        try {
            anchor = start.isEmpty() ? anchor : Optional.of(LocalDateTime.parse(start, START));
        } catch (DateTimeException e) {
            calendar.problem("startTime", "a local time such as \"2024-01-01 00:00:00\"", "'" + start + "'");
        }
        Optional<ZoneId> zoneId = Optional.empty();
        try {
            zoneId = zone.isEmpty() ? zoneId : Optional.of(ZoneId.of(zone));
        } catch (DateTimeException e) {
            calendar.problem("timeZone", "a zone such as UTC or Europe/Berlin", "'" + zone + "'");
        }
        Optional<ZoneId> found = zoneId;
        return anchor.flatMap(at -> found.map(of -> new TimeWindow.Calendar(at, of, period.length(), period.unit())));
    }

    private Optional<List<BurnSpec>> burns(Settings spec, Optional<TimeWindow> window, Set<Document> parts) {
        if (!spec.has("alertPolicies")) {
            return Optional.empty();
        }
        List<BurnSpec> burns = new ArrayList<>();
        Set<String> names = new HashSet<>();
        List<Settings> items = spec.items("alertPolicies");
        for (int i = 0; i < items.size(); i++) {
            Optional<Document> policy = alerts.policyOf(items.get(i));
            policy.filter(document -> items.stream().noneMatch(item -> item == document.root()))
                    .ifPresent(parts::add);
            policy.map(alerts::conditionsOf).orElse(List.of()).stream()
                    .filter(condition -> documents.of(Kind.ALERT_CONDITION).contains(condition))
                    .forEach(parts::add);
            Optional<BurnSpec> burn = policy.flatMap(alerts::policy);
            String key = "alertPolicies[" + i + "]";
            burn.filter(one -> !names.add(one.name()))
                    .ifPresent(
                            one -> spec.problem(key, "with a condition of another name", "'" + one.name() + "' again"));
            burn.filter(one -> one.longWindow().compareTo(MOST_LOOKBACK) > 0
                            && window.filter(of -> of instanceof TimeWindow.Rolling rolling
                                            && rolling.length().equals(one.longWindow()))
                                    .isEmpty())
                    .ifPresent(one -> spec.problem(
                            key,
                            "with a lookbackWindow of at most 4d, or the whole time window",
                            "condition '" + one.name() + "'"));
            burn.ifPresent(burns::add);
        }
        return Optional.of(burns);
    }

    /** A condition that a total outage does not meet can never fire. */
    private static void checkReach(Settings spec, Optional<List<BurnSpec>> burns, double target) {
        for (BurnSpec burn : burns.orElse(List.of())) {
            if (burn.factor() * (1 - target) >= 1) {
                spec.problem(
                        "alertPolicies",
                        "conditions with a threshold below " + String.format(Locale.ROOT, "%.4g", 1 / (1 - target))
                                + ", which is how fast a total outage burns",
                        "condition '" + burn.name() + "' with " + burn.factor() + ", which can never fire");
            }
        }
    }
}
