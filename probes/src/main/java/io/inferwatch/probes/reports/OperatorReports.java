package io.inferwatch.probes.reports;

import com.fasterxml.jackson.databind.JsonNode;
import io.inferwatch.schemas.Granularity;
import io.inferwatch.schemas.OperatorMetric;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.settings.Settings;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Operator metrics as they are posted. The metric catalogue says which names there are, in which unit and of what one value is; a report that differs is
 * refused, since a number under the wrong unit is worse than none.
 */
final class OperatorReports {
    private static final Set<String> KEYS = Set.of(
            "name",
            "value",
            "unit",
            "granularity",
            "layer",
            "labels",
            "at_micros",
            "replica",
            "gpu",
            "model",
            "version");

    private final Map<String, Metric> byName = new LinkedHashMap<>();

    OperatorReports(MetricCatalogue catalogue) {
        catalogue.metrics().stream()
                .filter(metric -> metric.of() == Metric.Origin.OPERATORS)
                .forEach(metric -> byName.put(metric.value(), metric));
    }

    /**
     * The event of a report.
     *
     * @param nowMicros its time where it names none, epoch microseconds
     */
    OperatorMetric event(JsonNode report, KnownReporters reporters, long nowMicros) throws BadReportException {
        ReportFields fields = ReportFields.of(report, KEYS);
        Metric metric = metric(fields.requiredText("name"));
        String unit = fields.text("unit");
        if (unit != null && !unit.equals(metric.unit().base())) {
            throw new BadReportException("unit: must be " + metric.unit().base() + " as the metric catalogue says of "
                    + metric.value() + ", found '" + unit + "'");
        }
        Granularity granularity = metric.granularity().orElse(Granularity.UNKNOWN);
        String given = fields.text("granularity");
        if (given != null && !given.equals(label(granularity))) {
            throw new BadReportException("granularity: must be " + label(granularity)
                    + " as the metric catalogue says of " + metric.value() + ", found '" + given + "'");
        }
        Reporter reporter = reporters.reporter(fields.text("replica"));
        Long at = fields.whole("at_micros");
        OperatorMetric event = new OperatorMetric();
        event.setName(metric.value());
        event.setValue(fields.requiredNumber("value"));
        event.setGranularity(granularity);
        event.setLayer(fields.text("layer"));
        event.setLabels(fields.labels("labels"));
        event.setMeasuredAtMicros(at == null ? nowMicros : at);
        event.setReplica(reporter.replica());
        event.setGpu(fields.text("gpu"));
        event.setModel(fields.text("model"));
        event.setVersion(fields.text("version"));
        reporter.known().ifPresent(identity -> identity.place(event));
        return event;
    }

    private Metric metric(String name) throws BadReportException {
        Metric metric = byName.get(name);
        if (metric == null) {
            throw new BadReportException("name: must be one that the metric catalogue has for operators, found '" + name
                    + "'" + Settings.nearest(name, byName.keySet()));
        }
        return metric;
    }

    private static String label(Granularity granularity) {
        return granularity.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
