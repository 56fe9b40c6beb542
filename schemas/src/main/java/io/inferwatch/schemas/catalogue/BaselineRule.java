package io.inferwatch.schemas.catalogue;

import io.inferwatch.schemas.settings.Settings;
import java.util.List;

/**
 * What is compared across the values of a dimension: versions, workload classes, templates, arms of an experiment, runs.
 *
 * @param name of the comparison
 * @param view a view of the catalogue
 * @param across one of the view's dimensions
 * @param against the value that all others are compared with
 * @param of what is compared
 * @param pinned whether with all that was seen of the baseline's value, also when it is gone; else with the same windows of it
 * @param alert whether a difference that lasts is an alert
 */
public record BaselineRule(
        String name, String view, String across, String against, List<Watch> of, boolean pinned, boolean alert) {
    /** The kind of settings that hold such rules. */
    public static final String KIND = "baseline";

    /** A rule with an unmodifiable list. */
    public BaselineRule {
        of = List.copyOf(of);
    }

    /**
     * A rule as it was set while jobs run.
     *
     * @throws io.inferwatch.schemas.settings.InvalidSettingsException with all its problems, when it has any
     */
    public static BaselineRule parse(String name, String yaml, MetricCatalogue catalogue) {
        Settings root = Settings.parse(KIND + "/" + name, yaml);
        BaselineRule rule = read(name, root, catalogue.metrics(), catalogue.ratios(), catalogue.views());
        root.check();
        return rule;
    }

    static BaselineRule read(String name, Settings entry, List<Metric> metrics, List<Ratio> ratios, List<View> views) {
        MetricCatalogue.checkName(name, entry);
        String viewName = entry.text("view");
        String across = entry.text("across");
        List<Watch> of = Watch.read(entry, metrics, ratios);
        List<String> viewNames = views.stream().map(View::name).toList();
        if (!viewName.isEmpty() && !viewNames.contains(viewName)) {
            entry.problem(
                    "view", "a view of the catalogue", "'" + viewName + "'" + Settings.nearest(viewName, viewNames));
        }
        views.stream()
                .filter(view -> view.name().equals(viewName))
                .findFirst()
                .ifPresent(view -> checkView(view, across, of, entry, metrics, ratios));
        return new BaselineRule(
                name,
                viewName,
                across,
                entry.text("against"),
                of,
                entry.flag("pinned", false),
                entry.flag("alert", false));
    }

    private static void checkView(
            View view, String across, List<Watch> of, Settings entry, List<Metric> metrics, List<Ratio> ratios) {
        List<String> dimensions = view.dimensionNames();
        if (!across.isEmpty() && !dimensions.contains(across)) {
            entry.problem(
                    "across",
                    dimensions.isEmpty()
                            ? "a dimension, and the view one that has any"
                            : "one of " + String.join(", ", dimensions) + ", by which the view groups",
                    "'" + across + "'" + Settings.nearest(across, dimensions));
        }
        of.stream()
                .filter(watch -> !MetricCatalogue.keeps(view, watch.metric(), metrics, ratios))
                .forEach(watch ->
                        entry.problem("of", "of metrics that view " + view.name() + " keeps", "'" + watch + "'"));
    }
}
