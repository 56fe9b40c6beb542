package io.inferwatch.jobs.window;

import io.inferwatch.schemas.catalogue.GroupingDimension;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.View;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedMultiInput;
import org.apache.flink.streaming.api.operators.InputSelectable;
import org.apache.flink.streaming.api.operators.InputSelection;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * Gives parts of panes the names under which their hour was published, whatever order they come in now: a value or series that has windows in the hour keeps its
 * name; one that has none, where {@code other} has some, was refused then and is {@code other} again. Where nothing was refused, the limits hold as ever for what
 * is new. The first input, the published hours, is read to its end before the second, the parts.
 *
 * <p>When all parts have passed, every published hour has at least the events that it had, or the job fails with a {@link ShrinkingWindowException}, before
 * anything behind has seen the end of event time: then events are missing, or the catalogue names series differently now.
 *
 * <p>State by view and hour: the names, and for each series how many of its published events have not come yet.
 */
final class ReadmitOperator extends AbstractStreamOperator<Partial>
        implements TwoInputStreamOperator<PublishedHour, Partial, Partial>,
                InputSelectable,
                BoundedMultiInput,
                Triggerable<String, VoidNamespace> {
    private static final long serialVersionUID = 1;
    private static final int TOLD = 3;

    /** Names of counts start so, those of values with their dimension. */
    private static final String COUNT = "#count ";

    private static final String SERIES = "series ";

    private final String catalogueYaml;
    private boolean arePublishedRead;
    private transient @Nullable Working working;

    private record Admission(View view, List<LimitedDimension> limited) {}

    private record Working(
            Map<String, Admission> admissions,
            MapState<String, Long> names,
            MapState<String, Long> lacking,
            InternalTimerService<VoidNamespace> timers) {}

    ReadmitOperator(String catalogueYaml) {
        this.catalogueYaml = catalogueYaml;
    }

    @Override
    public void open() throws Exception {
        super.open();
        MetricCatalogue catalogue = MetricCatalogue.parse("metric catalogue", catalogueYaml);
        working = new Working(
                catalogue.views().stream()
                        .collect(Collectors.toMap(
                                View::name, view -> new Admission(view, LimitedDimension.of(view, catalogue)))),
                getRuntimeContext().getMapState(new MapStateDescriptor<>("names", Types.STRING, Types.LONG)),
                getRuntimeContext().getMapState(new MapStateDescriptor<>("lacking", Types.STRING, Types.LONG)),
                getInternalTimerService("end", VoidNamespaceSerializer.INSTANCE, this));
    }

    @Override
    public InputSelection nextSelection() {
        return arePublishedRead ? InputSelection.ALL : InputSelection.FIRST;
    }

    @Override
    public void endInput(int input) {
        arePublishedRead |= input == 1;
    }

    @Override
    public void processElement1(StreamRecord<PublishedHour> element) throws Exception {
        Working w = working();
        PublishedHour hour = element.getValue();
        Admission admission = w.admissions.get(Series.view(hour.series()));
        if (admission == null) {
            // A view that the catalogue has no more: its points stay as they are.
            return;
        }
        Long before = w.lacking.get(hour.series());
        w.lacking.put(hour.series(), Math.max(before == null ? 0 : before, hour.events()));
        w.timers.registerEventTimeTimer(VoidNamespace.INSTANCE, Long.MAX_VALUE);
        String[] values = Series.values(hour.series()).toArray(new String[0]);
        if (values.length == admission.view.by().size()) {
            for (LimitedDimension dimension : admission.limited) {
                if (!values[dimension.place()].equals(GroupingDimension.NONE)) {
                    note(dimension.scope(values), values[dimension.place()]);
                }
            }
            note(SERIES, Series.name("", values));
        }
    }

    @Override
    public void processElement2(StreamRecord<Partial> element) throws Exception {
        Working w = working();
        Partial partial = element.getValue();
        Admission admission = w.admissions.get(partial.view());
        if (admission == null) {
            throw new IllegalStateException("view " + partial.view() + " is not of this catalogue");
        }
        String[] kept = admit(admission, partial.values());
        Partial admitted = kept == partial.values() ? partial : partial.withValues(kept);
        Long lacking = w.lacking.get(admitted.series());
        if (lacking != null) {
            w.lacking.put(admitted.series(), lacking - WindowContent.events(partial.content()));
        }
        output.collect(element.replace(admitted));
    }

    @Override
    public void onEventTime(InternalTimer<String, VoidNamespace> timer) throws Exception {
        int shrinking = 0;
        StringBuilder told = new StringBuilder();
        for (Map.Entry<String, Long> series : working().lacking.entries()) {
            if (series.getValue() > 0 && shrinking++ < TOLD) {
                told.append(told.isEmpty() ? "" : ", ")
                        .append(series.getKey())
                        .append(" lacks ")
                        .append(series.getValue())
                        .append(" events");
            }
        }
        if (shrinking > 0) {
            long endMillis =
                    Long.parseLong(timer.getKey().substring(timer.getKey().lastIndexOf('@') + 1));
            throw new ShrinkingWindowException("nothing is published: " + shrinking + " series of the hour to "
                    + Instant.ofEpochMilli(endMillis) + " would hold less than was published: " + told);
        }
    }

    @Override
    public void onProcessingTime(InternalTimer<String, VoidNamespace> timer) {
        throw new IllegalStateException("a timer of processing time");
    }

    private String[] admit(Admission admission, String[] values) throws Exception {
        String[] kept = values;
        for (LimitedDimension dimension : admission.limited) {
            String value = values[dimension.place()];
            if (!value.equals(GroupingDimension.NONE)
                    && !isAdmitted(dimension.scope(kept), value, GroupingDimension.OTHER, dimension.limit())) {
                kept = kept == values ? values.clone() : kept;
                kept[dimension.place()] = GroupingDimension.OTHER;
            }
        }
        String[] others = new String[values.length];
        Arrays.fill(others, GroupingDimension.OTHER);
        boolean isSeries = values.length == 0
                || isAdmitted(SERIES, Series.name("", kept), Series.name("", others), admission.view.maxSeries());
        return isSeries ? kept : others;
    }

    private boolean isAdmitted(String scope, String value, String other, int limit) throws Exception {
        MapState<String, Long> names = working().names;
        if (names.contains(name(scope, value))) {
            return true;
        }
        Long count = names.get(COUNT + scope);
        if (names.contains(name(scope, other)) || (count != null && count >= limit)) {
            return false;
        }
        note(scope, value);
        return true;
    }

    private void note(String scope, String value) throws Exception {
        MapState<String, Long> names = working().names;
        if (!names.contains(name(scope, value))) {
            names.put(name(scope, value), 0L);
            Long count = names.get(COUNT + scope);
            names.put(COUNT + scope, count == null ? 1 : count + 1);
        }
    }

    private static String name(String scope, String value) {
        return scope + '\n' + value;
    }

    private Working working() {
        if (working == null) {
            throw new IllegalStateException("used before open()");
        }
        return working;
    }
}
