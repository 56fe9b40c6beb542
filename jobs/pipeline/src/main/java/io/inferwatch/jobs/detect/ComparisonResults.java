package io.inferwatch.jobs.detect;

import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.ComparisonResult;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Evidence;
import io.inferwatch.schemas.Judgement;
import io.inferwatch.schemas.Severity;
import io.inferwatch.schemas.UndecodableEventException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Comparisons as records, and alerts of differences that last. Not thread safe. */
final class ComparisonResults {
    /** Name of the alert, and of its runbook page. */
    static final String NAME = "comparison";

    private final EventCodec codec = new EventCodec();

    /** The result, keyed by comparison, group and value. */
    OutboundRecord record(Compared compared) {
        ComparisonResult result = compared.result();
        return new OutboundRecord(
                key(compared).getBytes(StandardCharsets.UTF_8),
                codec.encode(result),
                result.getWindowEndMicros() / 1_000);
    }

    /**
     * The record of a difference that has lasted, or is over.
     *
     * @param sinceMicros when it began
     */
    OutboundRecord alert(Compared compared, long sinceMicros, boolean isOpen) {
        ComparisonResult result = compared.result();
        Judgement judgement = result.getJudgement();
        String statistic = result.getMetric() + '.' + result.getStatistic();
        String fingerprint = NAME + ':' + key(compared) + ':' + statistic;
        Map<String, String> labels = new TreeMap<>();
        labels.put("comparison", result.getComparison());
        labels.put("view", result.getView());
        labels.put("metric", result.getMetric());
        labels.put("statistic", result.getStatistic());
        result.getDimensions().forEach(dimension -> labels.put(dimension.getName(), dimension.getValue()));
        labels.put(result.getAcross(), result.getValue());
        String summary = result.getMetric() + ' ' + result.getStatistic() + " of " + result.getAcross() + ' '
                + result.getValue() + (isOpen ? " is worse than " : " is no longer worse than ")
                + result.getBaselineValue() + "'s: " + DriftAlerts.change(judgement);
        List<Evidence> evidence = new ArrayList<>();
        DriftAlerts.add(evidence, statistic + ", base unit", judgement.getCurrent(), judgement.getBaseline(), null);
        DriftAlerts.add(
                evidence, "values", (double) judgement.getN(), (double) judgement.getBaselineN(), baseline(result));
        DriftAlerts.add(evidence, "change", judgement.getChange(), null, null);
        DriftAlerts.add(evidence, "lower limit of the change", judgement.getChangeLow(), null, "95 %");
        DriftAlerts.add(evidence, "upper limit of the change", judgement.getChangeHigh(), null, "95 %");
        DriftAlerts.add(evidence, "p", judgement.getP(), null, "that the change is no more than the threshold");
        DriftAlerts.add(evidence, "q", judgement.getQ(), null, "the same with all values of the window in mind");
        long end = result.getWindowEndMicros();
        Alert alert = new Alert(
                fingerprint,
                NAME,
                isOpen ? AlertState.FIRING : AlertState.RESOLVED,
                Severity.TICKET,
                sinceMicros,
                end,
                isOpen ? null : Long.valueOf(end),
                labels,
                summary,
                evidence,
                List.of());
        return new OutboundRecord(fingerprint.getBytes(StandardCharsets.UTF_8), codec.encode(alert), end / 1_000);
    }

    /** The record of an alert that ends without another comparison. */
    OutboundRecord over(byte[] open, AlertState state, long atMicros, String why) throws UndecodableEventException {
        Alert alert = codec.decode(open, Alert.class);
        alert.setState(state);
        alert.setChangedAtMicros(atMicros);
        alert.setEndsAtMicros(atMicros);
        alert.setSummary(why);
        return new OutboundRecord(
                alert.getFingerprint().getBytes(StandardCharsets.UTF_8), codec.encode(alert), atMicros / 1_000);
    }

    private static String key(Compared compared) {
        ComparisonResult result = compared.result();
        return result.getComparison() + '/' + compared.group() + '/' + result.getValue();
    }

    private static String baseline(ComparisonResult result) {
        return result.getPinned() ? "against all minutes of the baseline" : "against the same window";
    }
}
