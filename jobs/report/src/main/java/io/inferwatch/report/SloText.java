package io.inferwatch.report;

import io.inferwatch.analytics.slo.Threshold;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.settings.Settings;
import io.inferwatch.schemas.slo.BurnSpec;
import io.inferwatch.schemas.slo.Indicator;
import io.inferwatch.schemas.slo.SloSpec;
import io.inferwatch.schemas.slo.TimeWindow;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Objectives as a table: what is good, at which effective threshold, for how many, and who is to hear when. */
final class SloText {
    private SloText() {}

    static List<String> lines(List<SloSpec> objectives, MetricCatalogue catalogue) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("objective", "good", "effective_threshold", "of", "target", "window", "alerts"));
        for (SloSpec objective : objectives) {
            rows.add(List.of(
                    objective.name(),
                    good(objective.indicator()),
                    threshold(objective.indicator(), catalogue),
                    series(objective),
                    String.format(Locale.ROOT, "%.6g %%", 100 * objective.target())
                            .replaceAll("0+ %", " %")
                            .replace(". %", " %"),
                    window(objective),
                    alerts(objective)));
        }
        return TableText.align(rows, 7);
    }

    private static String good(Indicator indicator) {
        if (indicator instanceof Indicator.Values values) {
            return values.metric() + (values.isUpper() ? " at most" : " at least");
        }
        Indicator.Share share = (Indicator.Share) indicator;
        return (share.isGood() ? "" : "not ") + share.part() + " in " + share.total();
    }

    /** Where values are counted: the bucket's edge that is nearest to the limit. */
    private static String threshold(Indicator indicator, MetricCatalogue catalogue) {
        if (!(indicator instanceof Indicator.Values values)) {
            return TableText.NONE;
        }
        Metric.Unit unit = catalogue.metric(values.metric()).orElseThrow().unit();
        Threshold threshold = values.isUpper() ? Threshold.atMost(values.limit()) : Threshold.atLeast(values.limit());
        return TableText.value(unit.base(), threshold.effective() * unit.scale());
    }

    private static String series(SloSpec objective) {
        Map<String, String> where = new TreeMap<>(objective.where());
        return objective.view()
                + where.entrySet().stream()
                        .map(one -> " " + one.getKey() + "=" + one.getValue())
                        .collect(Collectors.joining())
                + (objective.leastPerSecond() > 0
                        ? String.format(Locale.ROOT, " from %.4g/s on", objective.leastPerSecond())
                        : "");
    }

    private static String window(SloSpec objective) {
        String slices = objective
                .timeslices()
                .map(slicing -> ", slices of " + Settings.write(slicing.length()))
                .orElse("");
        if (objective.window() instanceof TimeWindow.Rolling rolling) {
            return rolling.length().toDays() + "d rolling" + slices;
        }
        TimeWindow.Calendar calendar = (TimeWindow.Calendar) objective.window();
        return calendar.length() + (calendar.unit() == ChronoUnit.MONTHS ? "M" : "d") + " of the calendar in "
                + calendar.zone() + slices;
    }

    private static String alerts(SloSpec objective) {
        if (objective.burns().isEmpty()) {
            return "the usual";
        }
        return objective.burns().get().isEmpty()
                ? "none"
                : objective.burns().get().stream().map(SloText::alert).collect(Collectors.joining(", "));
    }

    private static String alert(BurnSpec burn) {
        return String.format(
                Locale.ROOT,
                "%s at %.4g in %s",
                burn.severity().toString().toLowerCase(Locale.ROOT),
                burn.factor(),
                Settings.write(burn.longWindow()));
    }
}
