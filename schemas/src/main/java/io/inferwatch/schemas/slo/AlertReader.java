package io.inferwatch.schemas.slo;

import io.inferwatch.schemas.Severity;
import io.inferwatch.schemas.settings.Settings;
import io.inferwatch.schemas.slo.Documents.Document;
import io.inferwatch.schemas.slo.Documents.Kind;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Reads alert policies and their conditions. */
final class AlertReader {
    /** Annotation of a condition: its short window; a twelfth of the long one, and a minute at least, where it is left out. */
    static final String SHORT_WINDOW = "inferwatch.io/shortWindow";

    /** Annotation of a condition: {@code "false"} where its {@code lte} is meant as {@code gte}. */
    static final String STRICT = "inferwatch.io/strict";

    private static final List<String> FASTER = List.of("gte", "gt");
    private static final List<String> SLOWER = List.of("lte", "lt");

    private final Documents documents;
    private final List<String> warnings;

    /** What documents say that several may refer to, so that their problems are told once. */
    private final Map<Settings, Optional<BurnSpec>> read = new HashMap<>();

    AlertReader(Documents documents, List<String> warnings) {
        this.documents = documents;
        this.warnings = warnings;
    }

    /** The policy that an item of an SLO's list refers to, or is. */
    Optional<Document> policyOf(Settings item) {
        return item.has("alertPolicyRef")
                ? documents.referred(item, "alertPolicyRef", Kind.ALERT_POLICY)
                : Optional.of(Document.inline(item, Kind.ALERT_POLICY));
    }

    /** The conditions that a policy refers to, or holds. */
    List<Document> conditionsOf(Document policy) {
        return policy.spec().items("conditions").stream()
                .map(item -> item.has("conditionRef")
                        ? documents.referred(item, "conditionRef", Kind.ALERT_CONDITION)
                        : Optional.of(Document.inline(item, Kind.ALERT_CONDITION)))
                .flatMap(Optional::stream)
                .toList();
    }

    /** What a policy says; empty, and problems, where it cannot be said. */
    Optional<BurnSpec> policy(Document policy) {
        return once(policy, this::readPolicy);
    }

    /** What a condition says by itself; empty, and problems, where it cannot be said. */
    Optional<BurnSpec> condition(Document condition) {
        return once(condition, this::readCondition);
    }

    private Optional<BurnSpec> once(Document document, Function<Document, Optional<BurnSpec>> reader) {
        Optional<BurnSpec> known = read.get(document.root());
        if (known == null) {
            known = reader.apply(document);
            read.put(document.root(), known);
        }
        return known;
    }

    private Optional<BurnSpec> readPolicy(Document policy) {
        Settings spec = policy.spec();
        spec.text("description", "");
        int targets = 0;
        for (Settings target : spec.items("notificationTargets")) {
            targets++;
            if (target.has("targetRef")) {
                documents.referred(target, "targetRef", Kind.ALERT_NOTIFICATION_TARGET);
            } else {
                Document.inline(target, Kind.ALERT_NOTIFICATION_TARGET).root().has("spec");
            }
        }
        if (targets > 0) {
            warnings.add("AlertPolicy " + policy.name() + ": notificationTargets are left to Alertmanager's routes");
        }
        List<Document> conditions = conditionsOf(policy);
        if (spec.items("conditions").size() != 1) {
            spec.problem(
                    "conditions",
                    "a list of one",
                    String.valueOf(spec.items("conditions").size()));
        }
        boolean whenBreaching = spec.flag("alertWhenBreaching", true);
        boolean whenResolved = spec.flag("alertWhenResolved", true);
        boolean whenNoData = spec.flag("alertWhenNoData", false);
        return conditions.stream()
                .map(this::condition)
                .flatMap(Optional::stream)
                .findFirst()
                .map(burn -> new BurnSpec(
                        burn.name(),
                        burn.severity(),
                        burn.factor(),
                        burn.longWindow(),
                        burn.shortWindow(),
                        burn.alertAfter(),
                        whenBreaching,
                        whenResolved,
                        whenNoData));
    }

    private Optional<BurnSpec> readCondition(Document document) {
        Settings spec = document.spec();
        spec.text("description", "");
        String severityText = spec.text("severity");
        Map<String, Severity> severities = Map.of("page", Severity.PAGE, "ticket", Severity.TICKET);
        Severity severity = severities.get(severityText);
        if (severity == null && !severityText.isEmpty()) {
            spec.problem("severity", "page or ticket", "'" + severityText + "'");
        }
        Settings condition = spec.section("condition");
        String kind = condition.text("kind");
        if (!kind.isEmpty() && !kind.equals("burnrate")) {
            condition.problem("kind", "burnrate", "'" + kind + "'");
        }
        checkOperator(document, condition);
        Double factor = condition.number("threshold", 0, Double.MAX_VALUE);
        if (factor != null && factor == 0) {
            condition.problem("threshold", "above 0", "0");
        }
        Optional<Duration> longWindow = duration(condition, "lookbackWindow", condition.text("lookbackWindow"));
        String after = condition.text("alertAfter", "");
        Optional<Duration> alertAfter =
                after.isEmpty() ? Optional.of(Duration.ZERO) : duration(condition, "alertAfter", after);
        Optional<Duration> shortWindow = longWindow.flatMap(window -> shortWindow(document, window));
        if (severity == null || factor == null || factor == 0 || shortWindow.isEmpty() || alertAfter.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new BurnSpec(
                document.name(),
                severity,
                factor,
                longWindow.orElseThrow(),
                shortWindow.get(),
                alertAfter.get(),
                true,
                true,
                false));
    }

    /** OpenSLO's own example says lte where it means that a rate is exceeded. */
    private void checkOperator(Document document, Settings condition) {
        String op = condition.text("op");
        if (SLOWER.contains(op)) {
            if (document.annotations().getOrDefault(STRICT, "true").equals("false")) {
                warnings.add("AlertCondition " + document.name() + ": op " + op + " is taken as gte");
            } else {
                condition.problem(
                        "op",
                        "gte: an alert is for what burns faster, not slower (annotation " + STRICT
                                + ": \"false\" takes lte as gte)",
                        "'" + op + "'");
            }
        } else if (!op.isEmpty() && !FASTER.contains(op)) {
            condition.problem("op", "gte or gt", "'" + op + "'");
        }
    }

    private static Optional<Duration> shortWindow(Document document, Duration longWindow) {
        String text = document.annotations().get(SHORT_WINDOW);
        if (text == null) {
            long minutes = Math.max(1, longWindow.toMinutes() / 12);
            return Optional.of(Duration.ofMinutes(minutes));
        }
        Settings annotations = document.root().section("metadata").section("annotations");
        Optional<Duration> window = duration(annotations, SHORT_WINDOW, text);
        if (window.isPresent() && window.get().compareTo(longWindow) > 0) {
            annotations.problem(SHORT_WINDOW, "no longer than lookbackWindow", "'" + text + "'");
            return Optional.empty();
        }
        return window;
    }

    private static Optional<Duration> duration(Settings section, String key, String text) {
        Optional<Duration> duration = Shorthand.fixed(text);
        if (duration.isEmpty() && !text.isEmpty()) {
            section.problem(key, "a number and m, h, d or w, such as 1h", "'" + text + "'");
        }
        return duration;
    }
}
