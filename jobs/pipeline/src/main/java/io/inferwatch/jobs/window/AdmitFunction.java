package io.inferwatch.jobs.window;

import io.inferwatch.schemas.catalogue.GroupingDimension;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.View;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Keeps each view within its limits. A value is admitted with its first partial while its dimension has room, and so is a series while
 * its view has; what comes beyond is counted under {@code other}. A value or series once admitted stays so until it was silent for a
 * day. Room that falls free is given away from the next full hour on: within an hour, no value changes between its own name and {@code
 * other}, so that every window of an hour is whole.
 *
 * <p>State by view: the names admitted, each with the hour in which it was last seen.
 */
final class AdmitFunction extends KeyedProcessFunction<String, Partial, Partial> {
    private static final long serialVersionUID = 1;
    private static final long HOUR_MILLIS = Duration.ofHours(1).toMillis();
    private static final long RETIRE_HOURS = 24;

    /** Names that start so are ours, those of values start with their dimension. */
    private static final String SWEPT_AT = "#swept";

    private static final String COUNT = "#count ";
    private static final String SERIES = "series ";

    private final String catalogueYaml;
    private final Map<String, List<LimitedDimension>> limitedByView = new HashMap<>();
    private final Map<String, Integer> maxSeriesByView = new HashMap<>();

    private transient @Nullable MapState<String, Long> state;
    private transient @Nullable Counter overLimit;

    AdmitFunction(String catalogueYaml) {
        this.catalogueYaml = catalogueYaml;
    }

    @Override
    public void open(OpenContext context) {
        MetricCatalogue catalogue = MetricCatalogue.parse("metric catalogue", catalogueYaml);
        for (View view : catalogue.views()) {
            limitedByView.put(view.name(), LimitedDimension.of(view, catalogue));
            maxSeriesByView.put(view.name(), view.maxSeries());
        }
        state = getRuntimeContext().getMapState(new MapStateDescriptor<>("admitted", Types.STRING, Types.LONG));
        overLimit = getRuntimeContext().getMetricGroup().counter("over_limit_total");
    }

    @Override
    public void processElement(Partial partial, Context context, Collector<Partial> out) throws Exception {
        MapState<String, Long> admitted = state;
        Counter refused = overLimit;
        List<LimitedDimension> limited = limitedByView.get(partial.view());
        if (admitted == null || refused == null || limited == null) {
            throw new IllegalStateException("view " + partial.view() + " before open() or not of this catalogue");
        }
        long hour = Math.floorDiv(partial.paneEndMillis() - 1, HOUR_MILLIS);
        sweep(hour, admitted);
        String[] values = partial.values();
        String[] kept = values;
        for (LimitedDimension dimension : limited) {
            String value = values[dimension.place()];
            if (value.equals(GroupingDimension.NONE)) {
                continue;
            }
            if (!admit(dimension.scope(kept), value, dimension.limit(), hour, admitted)) {
                kept = kept == values ? values.clone() : kept;
                kept[dimension.place()] = GroupingDimension.OTHER;
            }
        }
        if (values.length > 0
                && !admit(
                        SERIES,
                        Series.name("", kept),
                        maxSeriesByView.getOrDefault(partial.view(), 1),
                        hour,
                        admitted)) {
            kept = kept == values ? values.clone() : kept;
            for (int i = 0; i < kept.length; i++) {
                kept[i] = GroupingDimension.OTHER;
            }
        }
        if (kept == values) {
            out.collect(partial);
        } else {
            refused.inc();
            out.collect(partial.withValues(kept));
        }
    }

    private static boolean admit(String scope, String value, int limit, long hour, MapState<String, Long> admitted)
            throws Exception {
        String name = scope + "\n" + value;
        Long lastHour = admitted.get(name);
        if (lastHour != null) {
            if (hour > lastHour) {
                admitted.put(name, hour);
            }
            return true;
        }
        String countName = COUNT + scope;
        Long count = admitted.get(countName);
        long taken = count == null ? 0 : count;
        if (taken >= limit) {
            return false;
        }
        admitted.put(name, hour);
        admitted.put(countName, taken + 1);
        return true;
    }

    private static void sweep(long hour, MapState<String, Long> admitted) throws Exception {
        Long sweptAt = admitted.get(SWEPT_AT);
        if (sweptAt != null && hour <= sweptAt) {
            return;
        }
        admitted.put(SWEPT_AT, hour);
        if (sweptAt == null) {
            return;
        }
        List<String> retired = new ArrayList<>();
        for (Map.Entry<String, Long> entry : admitted.entries()) {
            if (!entry.getKey().startsWith("#") && entry.getValue() < hour - RETIRE_HOURS) {
                retired.add(entry.getKey());
            }
        }
        for (String name : retired) {
            admitted.remove(name);
            String countName = COUNT + name.substring(0, name.indexOf('\n'));
            Long count = admitted.get(countName);
            if (count != null) {
                admitted.put(countName, count - 1);
            }
        }
    }
}
