package io.inferwatch.dashboards;

import static java.util.stream.Collectors.toUnmodifiableSet;

import io.inferwatch.influx.Field;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.influx.Statistic;
import io.inferwatch.jobs.store.StoredField;
import io.inferwatch.jobs.store.WindowPoints;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.View;
import java.util.Arrays;
import java.util.Set;

/** The names under which the jobs store windows, after a catalogue. A name that is not stored is an error here, not an empty panel later. */
final class Stored {
    private final MetricCatalogue catalogue;
    private final Set<String> fields;

    Stored(MetricCatalogue catalogue) {
        this.catalogue = catalogue;
        this.fields = Arrays.stream(Metric.Origin.values())
                .filter(origin -> origin.views() == origin)
                .flatMap(origin -> WindowPoints.fields(catalogue, origin).stream())
                .map(StoredField::name)
                .collect(toUnmodifiableSet());
    }

    /** The points of a view. */
    Source view(RetentionPolicy policy, String name) {
        View view = catalogue.view(name).orElseThrow(() -> unknown("view", name));
        if (policy == RetentionPolicy.R10S && !view.storeShortest()) {
            throw new IllegalArgumentException("view " + name + ": must be stored in windows of ten seconds");
        }
        return Source.ofWindows(policy, WindowPoints.measurement(view.of()).measurementName())
                .with(Field.VIEW, name);
    }

    /** The field of a metric's statistic. */
    String field(String metric, Statistic statistic) {
        return checked(WindowPoints.fieldName(
                catalogue.metric(metric).orElseThrow(() -> unknown("metric", metric)), statistic));
    }

    /** The field of a sum or a ratio, which is its name. */
    String field(String name) {
        return checked(name);
    }

    /** The values of a tag on the points of a view's measurement. */
    Variable variable(String view, String tag, String label) {
        View offered = catalogue.view(view).orElseThrow(() -> unknown("view", view));
        if (!offered.dimensionNames().contains(tag)) {
            throw unknown("dimension of " + view, tag);
        }
        return new Variable(tag, label, WindowPoints.measurement(offered.of()).measurementName());
    }

    private String checked(String field) {
        if (!fields.contains(field)) {
            throw unknown("field", field);
        }
        return field;
    }

    private static IllegalArgumentException unknown(String what, String name) {
        return new IllegalArgumentException(what + ": must be one that is stored, found '" + name + "'");
    }
}
