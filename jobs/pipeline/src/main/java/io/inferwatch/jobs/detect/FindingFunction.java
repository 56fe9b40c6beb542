package io.inferwatch.jobs.detect;

import io.inferwatch.jobs.detect.Look.Common;
import io.inferwatch.jobs.ingest.OutboundRecord;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/**
 * Follows what anomalous series have in common from minute to minute, so that a fleet that shifts is one finding, and a replica whose latencies all rise is one. A finding begins with a
 * statistic that is told for two minutes, so that all that befalls has been seen by then; it goes on while one of its series is anomalous, under the same name even when it is found to be wider.
 * It is an alert where a statistic that is told is promoted, and expires when nothing is heard of it for {@value #SILENT_MINUTES} minutes.
 *
 * <p>One task, which hears of minutes with something to tell alone. State: findings that are open, minutes that wait for their turn.
 */
final class FindingFunction extends KeyedProcessFunction<String, Looked, OutboundRecord> {
    private static final long serialVersionUID = 1;
    private static final int SILENT_MINUTES = 10;
    private static final long MINUTE_MILLIS = Duration.ofMinutes(1).toMillis();
    private static final long SILENT_MILLIS = SILENT_MINUTES * MINUTE_MILLIS;
    private static final long MICROS = 1_000;

    /** Alerts as they change. */
    static final OutputTag<OutboundRecord> ALERTS = new OutputTag<>("anomaly-alerts") {};

    private transient @Nullable Working working;

    private record Working(
            AnomalyAlerts alerts,
            MapState<Long, byte[]> waiting,
            MapState<String, byte[]> findings,
            Counter opened,
            Counter closed,
            Counter alertsOpened,
            Counter alertsClosed) {}

    @Override
    public void open(OpenContext context) {
        var runtime = getRuntimeContext();
        var metrics = runtime.getMetricGroup();
        var bytes = PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;
        working = new Working(
                new AnomalyAlerts(),
                runtime.getMapState(new MapStateDescriptor<>("waiting", Types.LONG, bytes)),
                runtime.getMapState(new MapStateDescriptor<>("findings", Types.STRING, bytes)),
                metrics.counter("anomaly_findings_opened_total"),
                metrics.counter("anomaly_findings_closed_total"),
                metrics.counter("anomaly_alerts_opened_total"),
                metrics.counter("anomaly_alerts_closed_total"));
    }

    /** Minutes come from several tasks, and may overtake each other. */
    @Override
    public void processElement(Looked looked, Context context, Collector<OutboundRecord> out) throws Exception {
        working().waiting.put(looked.endMillis(), looked.look());
        context.timerService().registerEventTimeTimer(looked.endMillis());
        context.timerService().registerEventTimeTimer(looked.endMillis() + SILENT_MILLIS);
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        Map<String, Finding> open = new TreeMap<>();
        for (Map.Entry<String, byte[]> entry : w.findings.entries()) {
            open.put(entry.getKey(), Finding.ofBytes(entry.getValue()));
        }
        byte[] waiting = w.waiting.get(timestamp);
        if (waiting != null) {
            w.waiting.remove(timestamp);
            take(Look.ofBytes(waiting), timestamp, open, context, out);
        }
        // With the end of an input that has one all timers are due: that is no silence.
        if (context.timerService().currentWatermark() < Long.MAX_VALUE) {
            for (Finding finding : List.copyOf(open.values())) {
                if (finding.heardMillis() <= timestamp - SILENT_MILLIS) {
                    end(finding, AnomalyAlerts.End.EXPIRED, timestamp, context, out);
                    open.remove(finding.labels());
                }
            }
        }
        w.findings.clear();
        for (Finding finding : open.values()) {
            w.findings.put(finding.labels(), finding.toBytes());
        }
    }

    private void take(
            Look look,
            long endMillis,
            Map<String, Finding> open,
            OnTimerContext context,
            Collector<OutboundRecord> out) {
        Set<String> anomalous = new HashSet<>();
        Map<String, Finding> continued = new TreeMap<>();
        for (Common common : look.commons()) {
            anomalous.addAll(common.series());
            Finding present = continued.values().stream()
                    .filter(finding -> finding.isContinuedBy(common))
                    .findFirst()
                    .or(() -> open.values().stream()
                            .filter(finding -> finding.isContinuedBy(common))
                            .findFirst())
                    .orElse(null);
            if (present == null && !common.isLasting()) {
                continue;
            }
            Set<String> series = new TreeSet<>(common.series());
            if (present != null && continued.containsKey(present.labels())) {
                // What was one scope may be several on its way back to order.
                series.addAll(present.series());
            }
            Finding next = goOn(present, common, series, endMillis, context, out);
            continued.put(next.labels(), next);
        }
        for (Finding finding : List.copyOf(open.values())) {
            if (!continued.containsKey(finding.labels())) {
                Set<String> rest = new TreeSet<>(finding.series());
                boolean isMerged = rest.removeAll(anomalous);
                rest.removeAll(look.recovered());
                if (rest.isEmpty()) {
                    end(
                            finding,
                            isMerged ? AnomalyAlerts.End.MERGED : AnomalyAlerts.End.RESOLVED,
                            endMillis,
                            context,
                            out);
                    open.remove(finding.labels());
                } else {
                    open.put(
                            finding.labels(),
                            finding.with(finding.scope(), finding.heardMillis(), finding.isAlerted(), rest));
                }
            }
        }
        open.putAll(continued);
    }

    private Finding goOn(
            @Nullable Finding before,
            Common common,
            Set<String> series,
            long endMillis,
            OnTimerContext context,
            Collector<OutboundRecord> out) {
        Working w = working();
        boolean isWider = before != null && before.isWidenedBy(common);
        boolean wasAlerted = before != null && before.isAlerted();
        boolean isAlerted = wasAlerted || common.isPromoted();
        Finding after = before == null
                ? new Finding(
                        common.labels(),
                        common.labels(),
                        MICROS * (endMillis - 2 * MINUTE_MILLIS),
                        endMillis,
                        isAlerted,
                        series)
                : before.with(isWider ? common.labels() : before.scope(), endMillis, isAlerted, series);
        if (before == null) {
            w.opened.inc();
        }
        if (before == null || isWider || isAlerted != wasAlerted) {
            out.collect(w.alerts.open(after, common, MICROS * endMillis));
        }
        if (isAlerted && (isWider || !wasAlerted)) {
            if (!wasAlerted) {
                w.alertsOpened.inc();
            }
            context.output(ALERTS, w.alerts.firing(after, common, MICROS * endMillis));
        }
        return after;
    }

    private void end(
            Finding finding,
            AnomalyAlerts.End end,
            long endMillis,
            OnTimerContext context,
            Collector<OutboundRecord> out) {
        Working w = working();
        w.closed.inc();
        out.collect(w.alerts.closed(finding, end, MICROS * endMillis));
        if (finding.isAlerted()) {
            w.alertsClosed.inc();
            context.output(ALERTS, w.alerts.over(finding, end, MICROS * endMillis));
        }
    }

    private Working working() {
        return Objects.requireNonNull(working, "used before open()");
    }
}
