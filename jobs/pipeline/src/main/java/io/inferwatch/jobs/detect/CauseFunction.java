package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.cause.Calibration;
import io.inferwatch.analytics.cause.CauseRanking;
import io.inferwatch.analytics.cause.CauseRule;
import io.inferwatch.analytics.cause.Incident;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/**
 * Adds likely causes to alerts that begin to fire, from the last {@value CauseRing#MINUTES} minutes of the fleet and of what it is made of; all other alerts pass as they are. An alert waits
 * until event time has reached its change, so that the minutes which it tells of are there; alerts leave in the order of their changes. That data are missing is told at once. Before eight quiet minutes are known nothing is said.
 *
 * <p>One task for the fleet, since causes are looked for across it: 4 kB for each model, version, node, replica, tenant and class; forgotten an hour after the last minute.
 */
final class CauseFunction extends KeyedCoProcessFunction<String, SubjectMinute, OutboundRecord, OutboundRecord> {
    private static final long serialVersionUID = 1;

    /** The only key. */
    static final String KEY = "fleet";

    /** Rankings, as results. */
    static final OutputTag<OutboundRecord> RESULTS = new OutputTag<>("causes-results") {};

    private static final long MINUTE_MICROS = RouteFunction.MINUTE_MICROS;
    /** Windows of requests leave earlier than those of samples. */
    private static final long WAIT_MILLIS = Duration.ofSeconds(20).toMillis();

    private static final long MINUTES_PER_HOUR = 60;
    private static final List<String> KINDS = List.of("replica", "node", "tenant", "model");

    private final String catalogueYaml;
    private transient @Nullable Working working;

    private record Working(
            MetricCatalogue catalogue,
            EventCodec codec,
            MapState<String, SubjectMinute> open,
            MapState<String, byte[]> rings,
            MapState<Long, List<byte[]>> waiting,
            Counter ranked,
            Counter notRanked,
            Counter outOfOrder) {}

    CauseFunction(String catalogueYaml) {
        this.catalogueYaml = catalogueYaml;
    }

    @Override
    public void open(OpenContext context) {
        var runtime = getRuntimeContext();
        var bytes = PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;
        working = new Working(
                MetricCatalogue.parse("metric catalogue", catalogueYaml),
                new EventCodec(),
                runtime.getMapState(
                        new MapStateDescriptor<>("open", Types.STRING, TypeInformation.of(SubjectMinute.class))),
                runtime.getMapState(new MapStateDescriptor<>("rings", Types.STRING, bytes)),
                runtime.getMapState(new MapStateDescriptor<>("waiting", Types.LONG, Types.LIST(bytes))),
                runtime.getMetricGroup().counter("causes_ranked_total"),
                runtime.getMetricGroup().counter("causes_not_ranked_total"),
                runtime.getMetricGroup().counter("windows_out_of_order_total"));
    }

    @Override
    public void processElement1(SubjectMinute minute, Context context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        long closesAt = minute.endMicros() / 1_000 + WAIT_MILLIS;
        if (closesAt <= context.timerService().currentWatermark()) {
            w.outOfOrder.inc();
            return;
        }
        String key = minute.endMicros() + "/" + minute.subject();
        SubjectMinute before = w.open.get(key);
        w.open.put(key, before == null ? minute : before.plus(minute));
        context.timerService().registerEventTimeTimer(closesAt);
    }

    @Override
    public void processElement2(OutboundRecord alert, Context context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        byte[] value = alert.value();
        Alert decoded = w.codec.decode(value, Alert.class);
        if (decoded.getName().equals(SloAlerts.NO_DATA)) {
            // Told by the clock where event time stands still: it would wait for ever.
            out.collect(alert);
            return;
        }
        long dueMillis = Math.floorDiv(decoded.getChangedAtMicros(), 1_000L);
        List<byte[]> before = w.waiting.get(dueMillis);
        List<byte[]> all = before == null ? new ArrayList<>() : new ArrayList<>(before);
        all.add(value);
        w.waiting.put(dueMillis, all);
        if (dueMillis <= context.timerService().currentWatermark()) {
            tell(context.timerService().currentWatermark(), context, out);
        } else {
            context.timerService().registerEventTimeTimer(dueMillis);
        }
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<OutboundRecord> out) throws Exception {
        tell(timestamp, context, out);
        close(timestamp);
    }

    private void tell(long untilMillis, Context context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        Map<Long, List<byte[]>> due = new TreeMap<>();
        for (Map.Entry<Long, List<byte[]>> entry : w.waiting.entries()) {
            if (entry.getKey() <= untilMillis) {
                due.put(entry.getKey(), entry.getValue());
            }
        }
        for (Map.Entry<Long, List<byte[]>> entry : due.entrySet()) {
            w.waiting.remove(entry.getKey());
            for (byte[] value : entry.getValue()) {
                Alert alert = w.codec.decode(value, Alert.class);
                if (alert.getState() == AlertState.FIRING && alert.getCauses().isEmpty()) {
                    explain(alert, context);
                }
                out.collect(new OutboundRecord(
                        alert.getFingerprint().getBytes(StandardCharsets.UTF_8),
                        w.codec.encode(alert),
                        entry.getKey()));
            }
        }
    }

    private void explain(Alert alert, Context context) throws Exception {
        Working w = working();
        long last = Math.floorDiv(alert.getChangedAtMicros(), MINUTE_MICROS);
        long breach = Math.min(last, Math.floorDiv(alert.getStartsAtMicros(), MINUTE_MICROS) + 1);
        Optional<Incident> incident = new IncidentReader(history(last), subject(alert), breach, last).read();
        if (incident.isEmpty()) {
            w.notRanked.inc();
            return;
        }
        w.ranked.inc();
        CauseRanking ranking = CauseRanking.of(incident.get(), CauseRule.STANDARD, Calibration.STANDARD);
        CauseResults results = new CauseResults(alert, ranking, incident.get());
        String view = alert.getLabels().getOrDefault("view", KEY);
        for (FigureResult figure :
                results.figures(w.catalogue.view(view).isPresent() ? view : KEY, last * MINUTE_MICROS)) {
            String key = figure.getKind() + '/' + alert.getFingerprint();
            context.output(
                    RESULTS,
                    new OutboundRecord(
                            key.getBytes(StandardCharsets.UTF_8),
                            w.codec.encode(figure),
                            last * MINUTE_MICROS / 1_000));
        }
        alert.setCauses(results.texts());
    }

    /** The narrowest of what an alert's labels name. */
    private static String subject(Alert alert) {
        for (String kind : KINDS) {
            String value = alert.getLabels().get(kind);
            if (value != null && !value.equals("none")) {
                return kind + '/' + value;
            }
        }
        return SubjectMinute.FLEET;
    }

    /** What is known until the end of a minute, with windows of it that may not be all. */
    private SubjectHistory history(long last) throws Exception {
        Working w = working();
        Map<String, CauseRing> rings = new TreeMap<>();
        for (Map.Entry<String, byte[]> entry : w.rings.entries()) {
            rings.put(entry.getKey(), CauseRing.of(entry.getValue().clone()));
        }
        Map<Long, List<SubjectMinute>> open = new TreeMap<>();
        for (SubjectMinute minute : w.open.values()) {
            if (minute.endMicros() / MINUTE_MICROS <= last) {
                open.computeIfAbsent(minute.endMicros(), end -> new ArrayList<>())
                        .add(minute);
            }
        }
        open.values().forEach(minutes -> minutes.forEach(minute -> add(minute, rings)));
        Map<String, List<String>> byKind = new HashMap<>();
        for (String subject : rings.keySet()) {
            int slash = subject.indexOf('/');
            byKind.computeIfAbsent(slash < 0 ? subject : subject.substring(0, slash), kind -> new ArrayList<>())
                    .add(subject);
        }
        return new SubjectHistory() {
            @Override
            public @Nullable CauseRing ring(String subject) {
                return rings.get(subject);
            }

            @Override
            public Iterable<String> subjects(String kind) {
                return byKind.getOrDefault(kind, List.of());
            }
        };
    }

    private static void add(SubjectMinute minute, Map<String, CauseRing> rings) {
        CauseRing fleet = rings.get(SubjectMinute.FLEET);
        CauseRing ring = rings.computeIfAbsent(minute.subject(), subject -> CauseRing.of(null));
        put(minute, ring, fleet);
    }

    private static void put(SubjectMinute minute, CauseRing ring, @Nullable CauseRing fleet) {
        long number = minute.endMicros() / MINUTE_MICROS;
        double own = ring.usualTailMicros(number);
        double tail = Double.isNaN(own) && fleet != null ? fleet.usualTailMicros(number) : own;
        ring.put(number, minute.readings(tail));
    }

    /** Puts minutes that are over to what is known. */
    private void close(long timestamp) throws Exception {
        Working w = working();
        List<SubjectMinute> over = new ArrayList<>();
        for (SubjectMinute minute : w.open.values()) {
            if (minute.endMicros() / 1_000 + WAIT_MILLIS <= timestamp) {
                over.add(minute);
            }
        }
        over.sort((one, other) -> Long.compare(one.endMicros(), other.endMicros()));
        byte[] fleet = w.rings.get(SubjectMinute.FLEET);
        long last = 0;
        for (SubjectMinute minute : over) {
            w.open.remove(minute.endMicros() + "/" + minute.subject());
            CauseRing ring = CauseRing.of(w.rings.get(minute.subject()));
            put(minute, ring, fleet == null ? null : CauseRing.of(fleet));
            w.rings.put(minute.subject(), ring.toBytes());
            last = minute.endMicros() / MINUTE_MICROS;
        }
        if (!over.isEmpty() && last % MINUTES_PER_HOUR == 0) {
            forget(last);
        }
    }

    private void forget(long minute) throws Exception {
        Working w = working();
        List<String> silent = new ArrayList<>();
        for (Map.Entry<String, byte[]> entry : w.rings.entries()) {
            if (CauseRing.of(entry.getValue()).last() < minute - CauseRing.MINUTES) {
                silent.add(entry.getKey());
            }
        }
        for (String subject : silent) {
            w.rings.remove(subject);
        }
    }

    private Working working() {
        return Objects.requireNonNull(working, "used before open()");
    }
}
