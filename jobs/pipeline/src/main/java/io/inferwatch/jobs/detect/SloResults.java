package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.slo.ConditionStatus;
import io.inferwatch.analytics.slo.ObjectiveStatus;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.slo.Indicator;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;

/** How objectives stand, as results. Not thread safe. */
final class SloResults {
    private final MetricCatalogue catalogue;
    private final EventCodec codec = new EventCodec();

    SloResults(MetricCatalogue catalogue) {
        this.catalogue = catalogue;
    }

    /**
     * The record.
     *
     * @param window of the series, with the instant as its end
     */
    OutboundRecord record(Promise promise, WindowStat window, ObjectiveStatus status) {
        FigureBuilder figures = new FigureBuilder(Measurement.SLO, window)
                .tag(Field.SLO, promise.name())
                .tag(Field.SERVICE, promise.spec().service())
                .text(Field.SLO_STATE, status.state().name())
                .text(
                        Field.SLO_FIRING,
                        status.conditions().stream()
                                .filter(condition -> condition.phase() == ConditionStatus.Phase.FIRING)
                                .map(condition -> condition.condition().name())
                                .collect(Collectors.joining(", ")))
                .count(Field.SLO_GOOD, status.counted().good())
                .count(Field.SLO_TOTAL, status.counted().total())
                .value(Field.SLO_TARGET, promise.objective().target());
        status.attained().ifPresent(share -> figures.value(Field.SLO_ATTAINED, share));
        status.burn().ifPresent(burn -> figures.value(Field.SLO_BURN, burn));
        status.budgetLeft().ifPresent(left -> figures.value(Field.SLO_BUDGET_LEFT, left));
        status.exhaustedInMicros().ifPresent(micros -> figures.value(Field.SLO_EXHAUSTED_IN, micros / 1e6));
        addPressure(figures, status);
        addThreshold(figures, promise);
        FigureResult result = figures.build();
        String key = result.getKind() + '/' + promise.name() + '/' + window.getSeries();
        return new OutboundRecord(
                key.getBytes(StandardCharsets.UTF_8), codec.encode(result), window.getWindowEndMicros() / 1_000);
    }

    /** How near the budget is to an alert: what burns over both windows of a condition, as a share of its factor; the greatest of all conditions. */
    private static void addPressure(FigureBuilder figures, ObjectiveStatus status) {
        status.conditions().stream()
                .filter(condition -> condition.longBurn().isPresent()
                        && condition.shortBurn().isPresent())
                .mapToDouble(condition -> Math.min(
                                condition.longBurn().getAsDouble(),
                                condition.shortBurn().getAsDouble())
                        / condition.condition().factor())
                .max()
                .ifPresent(pressure -> figures.value(Field.SLO_PRESSURE, pressure));
    }

    private void addThreshold(FigureBuilder figures, Promise promise) {
        promise.threshold().ifPresent(threshold -> {
            String name = ((Indicator.Values) promise.spec().indicator()).metric();
            Metric.Unit unit = catalogue.metric(name).orElseThrow().unit();
            figures.value(Field.SLO_THRESHOLD, threshold.asked() * unit.scale())
                    .value(Field.SLO_EFFECTIVE_THRESHOLD, threshold.effective() * unit.scale())
                    .text(Field.SLO_METRIC, name)
                    .text(Field.SLO_UNIT, unit.base());
        });
    }
}
