package io.inferwatch.jobs.detect;

import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.ChangeScale;
import io.inferwatch.schemas.DriftResult;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Evidence;
import io.inferwatch.schemas.Judgement;
import io.inferwatch.schemas.MixChange;
import io.inferwatch.schemas.QuantilePair;
import io.inferwatch.schemas.Severity;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Alerts of drift, with the figures behind them. Not thread safe. */
final class DriftAlerts {
    /** Name of the alert, and of its runbook page. */
    static final String NAME = "drift";

    private final EventCodec codec = new EventCodec();

    /**
     * The record of a drift that is confirmed, or over.
     *
     * @param sinceMicros when it began
     */
    OutboundRecord record(DriftResult result, long sinceMicros, boolean isOpen) {
        return record(
                result,
                sinceMicros,
                isOpen ? AlertState.FIRING : AlertState.RESOLVED,
                result.getWindowEndMicros(),
                summary(result, isOpen));
    }

    /**
     * The record of a drift of which nothing was heard for long.
     *
     * @param result the last that was heard
     */
    OutboundRecord expired(DriftResult result, long sinceMicros, long atMicros) {
        return record(
                result,
                sinceMicros,
                AlertState.EXPIRED,
                atMicros,
                result.getMetric() + ' ' + result.getStatistic() + " of " + who(result)
                        + " had no verdict for a day: it is gone, or has too few requests");
    }

    private OutboundRecord record(
            DriftResult result, long sinceMicros, AlertState state, long changedAtMicros, String summary) {
        String fingerprint = NAME + ':' + result.getSeries() + ':' + result.getMetric() + '.' + result.getStatistic();
        Map<String, String> labels = new TreeMap<>();
        labels.put("view", result.getView());
        labels.put("metric", result.getMetric());
        labels.put("statistic", result.getStatistic());
        result.getDimensions().forEach(dimension -> labels.put(dimension.getName(), dimension.getValue()));
        Alert alert = new Alert(
                fingerprint,
                NAME,
                state,
                Severity.TICKET,
                sinceMicros,
                changedAtMicros,
                state == AlertState.FIRING ? null : Long.valueOf(changedAtMicros),
                labels,
                summary,
                evidence(result),
                List.of());
        return new OutboundRecord(
                fingerprint.getBytes(StandardCharsets.UTF_8), codec.encode(alert), changedAtMicros / 1_000);
    }

    private static String summary(DriftResult result, boolean isOpen) {
        String what = result.getMetric() + ' ' + result.getStatistic() + " of " + who(result);
        if (result.getRebased()) {
            return what + " has stayed where it drifted to for an hour: that is its baseline from now on";
        }
        Judgement server = ConfirmFunction.server(result);
        if (!isOpen) {
            return what + " is back: " + change(server);
        }
        return what + " got worse: " + change(server)
                + (result.getAdjusted() == null ? "" : " with the traffic's mix held fast");
    }

    private static String who(DriftResult result) {
        return result.getDimensions().isEmpty()
                ? "the fleet"
                : result.getDimensions().stream()
                        .map(dimension -> dimension.getName() + ' ' + dimension.getValue())
                        .collect(Collectors.joining(", "));
    }

    static String change(Judgement judgement) {
        if (judgement.getChange() == null) {
            return "too few values to measure a change";
        }
        String unit = judgement.getScale() == ChangeScale.POINTS ? " points" : " %";
        return String.format(
                Locale.ROOT,
                "%+.1f%s (95 %% limits %+.1f to %s)",
                100 * judgement.getChange(),
                unit,
                100 * orNaN(judgement.getChangeLow()),
                judgement.getChangeHigh() == null
                        ? "unknown"
                        : String.format(Locale.ROOT, "%+.1f", 100 * judgement.getChangeHigh()));
    }

    private static List<Evidence> evidence(DriftResult result) {
        Judgement server = ConfirmFunction.server(result);
        List<Evidence> evidence = new ArrayList<>();
        for (QuantilePair pair : result.getQuantiles()) {
            add(
                    evidence,
                    String.format(Locale.ROOT, "%s p%.0f, base unit", result.getMetric(), 100 * pair.getQuantile()),
                    pair.getCurrent(),
                    pair.getBaseline(),
                    null);
        }
        add(
                evidence,
                "requests",
                (double) result.getRaw().getN(),
                (double) result.getRaw().getBaselineN(),
                baseline(result));
        add(evidence, "change", result.getRaw().getChange(), null, "all requests, whatever they asked");
        if (result.getAdjusted() != null) {
            add(
                    evidence,
                    "adjusted change",
                    result.getAdjusted().getChange(),
                    null,
                    "with the traffic's mix held fast");
        }
        add(evidence, "lower limit of the change", server.getChangeLow(), null, "95 %");
        add(evidence, "upper limit of the change", server.getChangeHigh(), null, "95 %");
        add(evidence, "p", server.getP(), null, "that like requests changed by no more than the threshold");
        add(evidence, "q", server.getQ(), null, "the same with all keys of the window in mind");
        add(evidence, "detectable change", server.getDetectableChange(), null, "seen four times out of five");
        MixChange mix = result.getMix();
        if (mix != null && mix.getTotal() != 0) {
            add(evidence, "share of the traffic's mix in the change", mix.getMix() / mix.getTotal(), null, null);
        }
        return evidence;
    }

    private static String baseline(DriftResult result) {
        return result.getBaseline().equals("hour-class")
                ? "against the same hour of an earlier day"
                : "against the windows before";
    }

    static void add(
            List<Evidence> evidence,
            String name,
            @Nullable Double value,
            @Nullable Double baseline,
            @Nullable String note) {
        if (value != null && Double.isFinite(value)) {
            evidence.add(new Evidence(name, value, baseline, note));
        }
    }

    private static double orNaN(@Nullable Double value) {
        return value == null ? Double.NaN : value;
    }
}
