package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.slo.ConditionStatus;
import io.inferwatch.analytics.slo.ObjectiveHistory;
import io.inferwatch.analytics.slo.ObjectiveStatus;
import io.inferwatch.analytics.slo.SloState;
import io.inferwatch.analytics.state.StateReader;
import io.inferwatch.analytics.state.StateWriter;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.slo.BurnSpec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.jspecify.annotations.Nullable;

/**
 * The error budgets of a series, as state: some 10 kB an objective ({@link ObjectiveHistory}), the alerts that fire, and whose series it is. An objective whose
 * target or conditions were edited goes on with what was counted; one that counts otherwise begins anew. Not thread safe.
 */
final class SloBook {
    /** What was counted, by objective. */
    static final MapStateDescriptor<String, byte[]> HISTORIES =
            new MapStateDescriptor<>("objectives", Types.STRING, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

    private final EventCodec codec = new EventCodec();
    private final SloResults results;
    private final MapState<String, byte[]> histories;
    private final MapState<String, byte[]> firing;
    private final ValueState<byte[]> last;
    private final Counter counted;
    private final Counter tooLate;
    private final Counter opened;
    private final Counter closed;

    SloBook(RuntimeContext runtime, MetricCatalogue catalogue) {
        var bytes = PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;
        var metrics = runtime.getMetricGroup();
        results = new SloResults(catalogue);
        histories = runtime.getMapState(HISTORIES);
        firing = runtime.getMapState(new MapStateDescriptor<>("firing", Types.STRING, bytes));
        last = runtime.getState(new ValueStateDescriptor<>("last-window", bytes));
        counted = metrics.counter("slo_minutes_counted_total");
        tooLate = metrics.counter("slo_minutes_too_late_total");
        opened = metrics.counter("slo_alerts_opened_total");
        closed = metrics.counter("slo_alerts_closed_total");
    }

    /** Who hears of it. */
    record Told(Consumer<OutboundRecord> results, Consumer<OutboundRecord> alerts) {}

    /**
     * What there is of a series.
     *
     * @param newestMicros end of the last minute of any of its objectives; {@link Long#MIN_VALUE} without one
     * @param longest of their periods
     */
    record Kept(long newestMicros, Duration longest) {
        boolean isEmpty() {
            return newestMicros == Long.MIN_VALUE;
        }

        Kept plus(ObjectiveStatus status, Promise promise) {
            Duration period = promise.objective().period().longest();
            return new Kept(
                    Math.max(newestMicros, status.lastDataMicros().orElse(Long.MIN_VALUE)),
                    period.compareTo(longest) > 0 ? period : longest);
        }
    }

    /** Counts a minute for these objectives. */
    void count(List<Promise> promises, WindowStat window) throws Exception {
        WindowReading reading = new WindowReading(window);
        for (Promise promise : promises) {
            ObjectiveHistory history = history(promise).orElseGet(() -> new ObjectiveHistory(promise.objective()));
            boolean isTaken = history.observe(window.getWindowEndMicros(), promise.count(reading));
            (isTaken ? counted : tooLate).inc();
            keep(promise, history);
        }
        window.setSums(List.of());
        window.setSketches(List.of());
        last.update(codec.encode(window));
    }

    /** Goes on by one evaluation, tells how all objectives stand, and closes what is promised no more. */
    Kept judge(Configuration configuration, long nowMicros, Told told) throws Exception {
        return judge(configuration, nowMicros, true, told);
    }

    /** Tells how they stand, without going on. */
    void look(Configuration configuration, long nowMicros, Told told) throws Exception {
        judge(configuration, nowMicros, false, told);
    }

    private Kept judge(Configuration configuration, long nowMicros, boolean isKept, Told told) throws Exception {
        Kept kept = new Kept(Long.MIN_VALUE, Duration.ZERO);
        byte[] bytes = last.value();
        if (bytes == null) {
            return kept;
        }
        WindowStat window = codec.decode(bytes, WindowStat.class);
        window.setWindowEndMicros(nowMicros);
        List<Promise> promises = configuration.promisesOf(window);
        Set<String> names = new HashSet<>();
        Set<String> fingerprints = new HashSet<>();
        for (Promise promise : promises) {
            names.add(promise.name());
            Optional<ObjectiveHistory> history = history(promise);
            if (history.isPresent()) {
                ObjectiveStatus status = history.get().evaluate(nowMicros);
                if (isKept) {
                    keep(promise, history.get());
                }
                told.results.accept(results.record(promise, window, status));
                fingerprints.addAll(tell(promise, window, status, told));
                kept = kept.plus(status, promise);
            }
        }
        for (Alert alert : firing()) {
            if (!fingerprints.contains(alert.getFingerprint())) {
                close(alert, AlertState.RESOLVED, nowMicros, "is promised no more, or counted otherwise", told);
            }
        }
        for (String name : keys(histories)) {
            if (!names.contains(name)) {
                histories.remove(name);
            }
        }
        return kept;
    }

    /** Opens and closes alerts of an objective, and returns the fingerprints of all that it may have. */
    private List<String> tell(Promise promise, WindowStat window, ObjectiveStatus status, Told told) throws Exception {
        List<String> fingerprints = new ArrayList<>();
        for (ConditionStatus condition : status.conditions()) {
            boolean isWanted = promise.burn(condition.condition().name())
                    .map(BurnSpec::whenBreaching)
                    .orElse(true);
            if (isWanted) {
                Alert alert = SloAlerts.burn(promise, window, status, condition);
                fingerprints.add(alert.getFingerprint());
                boolean isFiring = condition.phase() == ConditionStatus.Phase.FIRING;
                change(alert, isFiring, SloAlerts.over(condition), told);
            }
        }
        Optional<Alert> missing = SloAlerts.noData(promise, window, status);
        if (missing.isPresent()) {
            fingerprints.add(missing.get().getFingerprint());
            change(missing.get(), status.state() == SloState.NO_DATA, "is known of again", told);
        }
        return fingerprints;
    }

    private void change(Alert alert, boolean isFiring, String whyNot, Told told) throws Exception {
        byte[] before = firing.get(alert.getFingerprint());
        if (isFiring && before == null) {
            opened.inc();
            byte[] bytes = codec.encode(alert);
            firing.put(alert.getFingerprint(), bytes);
            told.alerts.accept(record(alert, bytes));
        } else if (!isFiring && before != null) {
            Alert open = codec.decode(before, Alert.class);
            close(open, AlertState.RESOLVED, alert.getChangedAtMicros(), whyNot, told);
        }
    }

    /** Ends all that fires, because nothing is heard of the series. */
    void expire(long nowMicros, Told told) throws Exception {
        for (Alert alert : firing()) {
            close(alert, AlertState.EXPIRED, nowMicros, "has had no windows for a day", told);
        }
    }

    private void close(Alert alert, AlertState state, long nowMicros, String why, Told told) throws Exception {
        closed.inc();
        firing.remove(alert.getFingerprint());
        Alert over = SloAlerts.over(alert, state, nowMicros, why);
        told.alerts.accept(record(over, codec.encode(over)));
    }

    private static OutboundRecord record(Alert alert, byte[] bytes) {
        return new OutboundRecord(
                alert.getFingerprint().getBytes(StandardCharsets.UTF_8), bytes, alert.getChangedAtMicros() / 1_000);
    }

    /** Forgets the series. */
    void clear() {
        histories.clear();
        firing.clear();
        last.clear();
    }

    private List<Alert> firing() throws Exception {
        List<Alert> alerts = new ArrayList<>();
        for (Map.Entry<String, byte[]> entry : firing.entries()) {
            alerts.add(codec.decode(entry.getValue(), Alert.class));
        }
        return alerts;
    }

    private static List<String> keys(MapState<String, ?> state) throws Exception {
        List<String> keys = new ArrayList<>();
        state.keys().forEach(keys::add);
        return keys;
    }

    private Optional<ObjectiveHistory> history(Promise promise) throws Exception {
        byte @Nullable [] bytes = histories.get(promise.name());
        if (bytes == null) {
            return Optional.empty();
        }
        StateReader in = new StateReader(bytes);
        String countedBy = new String(in.part(), StandardCharsets.UTF_8);
        return countedBy.equals(promise.countedBy())
                ? Optional.of(ObjectiveHistory.ofBytes(promise.objective(), in.part()))
                : Optional.empty();
    }

    private void keep(Promise promise, ObjectiveHistory history) throws Exception {
        StateWriter out = new StateWriter();
        out.part(promise.countedBy().getBytes(StandardCharsets.UTF_8));
        out.part(history.toBytes());
        histories.put(promise.name(), out.toBytes());
    }
}
