package io.inferwatch.jobs.detect;

import io.inferwatch.jobs.ingest.DeadLetters;
import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.jobs.window.Series;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.BaselineRule;
import io.inferwatch.schemas.catalogue.FigureRule;
import io.inferwatch.schemas.catalogue.GroupingDimension;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.View;
import io.inferwatch.schemas.catalogue.Watch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.co.BroadcastProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/**
 * Sends each window to those who judge it: drift (the main output: panes too, for the design effect), comparisons, figures, memory, costs. Takes the first
 * revision of a window alone, but for promises: later ones correct points and budgets but fire nothing again.
 */
final class RouteFunction extends BroadcastProcessFunction<InboundRecord, InboundRecord, Member>
        implements CheckpointedFunction {
    private static final long serialVersionUID = 1;
    private static final String STAGE = "detect";

    /** The shortest window that is judged. */
    static final long MINUTE_MICROS = Duration.ofMinutes(1).toNanos() / 1_000;

    /** Members of comparisons, whose task is the rule's name. */
    static final OutputTag<Member> COMPARISONS = new OutputTag<>("comparisons") {};

    /** Members of figures' groups, whose task is the rule's name. */
    static final OutputTag<Member> FIGURES = new OutputTag<>("figures") {};

    /** Members of {@link ReplicaFunction}. */
    static final OutputTag<Member> REPLICAS = new OutputTag<>("replicas") {};
    /** Windows of a device's memory or a replica's KV cache, whose task is the figures' measurement. */
    static final OutputTag<Member> MEMORY = new OutputTag<>("memory") {};

    /** Minutes of the fleet and of what it is made of, for {@link CauseFunction}. */
    static final OutputTag<SubjectMinute> CAUSES = new OutputTag<>("causes") {};

    /** What tenants took of their models, for {@link CostFunction}. */
    static final OutputTag<CostPart> COSTS = new OutputTag<>("tenants-costs") {};

    /** Windows of lengths that are padded. */
    static final OutputTag<Member> PADDING = new OutputTag<>("padding") {};

    /** Minutes of series that are watched for anomalies. */
    static final OutputTag<Member> ANOMALIES = new OutputTag<>("anomalies") {};

    /** The same, to be held against those that do the same work; the arm is the series. */
    static final OutputTag<Member> PEERS = new OutputTag<>("peers") {};

    /** Minutes of series that something is promised of, whose task is {@link SloFunction#TASK}. */
    static final OutputTag<Member> PROMISED = new OutputTag<>("promised") {};

    /** Windows that cannot be read. */
    static final OutputTag<OutboundRecord> DEAD_LETTERS = new OutputTag<>("dead-letters") {};

    private final String catalogueYaml;
    private final PresentSettings settingsAtFirst;
    private transient @Nullable Working working;

    private record Working(
            MetricCatalogue catalogue,
            LiveSettings settings,
            EventCodec codec,
            DeadLetters letters,
            Set<String> watched,
            Set<String> followed,
            Map<String, Set<String>> metricsByRule,
            Counter corrections,
            Counter unknownViews,
            Counter tombstones,
            Counter deadLetters) {}

    /** Routes by what is set, from {@code settingsAtFirst} on. */
    RouteFunction(String catalogueYaml, PresentSettings settingsAtFirst) {
        this.catalogueYaml = catalogueYaml;
        this.settingsAtFirst = settingsAtFirst;
    }

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        settingsAtFirst.begin(context, catalogueYaml);
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) {
        // The broadcast state is the operator's.
    }

    @Override
    public void open(OpenContext context) {
        MetricCatalogue catalogue = MetricCatalogue.parse("metric catalogue", catalogueYaml);
        var group = getRuntimeContext().getMetricGroup();
        working = new Working(
                catalogue,
                new LiveSettings(catalogue, group),
                new EventCodec(),
                new DeadLetters(STAGE),
                metrics(catalogue.drift().of(), catalogue),
                FollowedSeries.byView(catalogue).values().stream()
                        .flatMap(List::stream)
                        .flatMap(series -> series.metrics().stream())
                        .collect(Collectors.toUnmodifiableSet()),
                new HashMap<>(),
                group.counter("corrections_left_out_total"),
                group.counter("windows_of_unknown_views_total"),
                group.counter("tombstones_total"),
                group.counter("dead_letters_total"));
    }

    @Override
    public void processElement(InboundRecord record, ReadOnlyContext context, Collector<Member> out) throws Exception {
        Working w = working();
        byte[] value = record.value();
        if (value == null) {
            w.tombstones.inc();
            return;
        }
        WindowStat window;
        try {
            window = w.codec.decode(value, WindowStat.class);
        } catch (UndecodableEventException e) {
            w.deadLetters.inc();
            context.output(
                    DEAD_LETTERS,
                    w.letters.letter(
                            record,
                            e.reason().label(),
                            String.valueOf(e.getMessage()),
                            context.currentProcessingTime()));
            return;
        }
        Optional<View> view = w.catalogue.view(window.getView());
        if (view.isEmpty()) {
            w.unknownViews.inc();
            return;
        }
        Configuration configuration = w.settings.present(context.getBroadcastState(LiveSettings.STATE));
        if (window.getWindowMicros() == MINUTE_MICROS) {
            sendPromised(window, configuration, context);
        }
        if (window.getRevision() > 0) {
            w.corrections.inc();
            return;
        }
        if (view.get().drift() && window.getWindowMicros() <= MINUTE_MICROS) {
            List<String> mix = view.get().mix().map(List::of).orElse(List.of());
            out.collect(member(window, view.get().name(), mix, w.watched));
        }
        if (view.get().anomaly() && window.getWindowMicros() == MINUTE_MICROS) {
            sendToAnomalies(view.get(), window, context);
        }
        if (window.getWindowMicros() == MINUTE_MICROS) {
            SubjectMinute.of(view.get(), window).forEach(minute -> context.output(CAUSES, minute));
        }
        if (window.getWindowMicros() >= MINUTE_MICROS) {
            if (ReplicaFunction.VIEWS.contains(view.get().name())) {
                context.output(REPLICAS, memberOfReplica(window));
            }
            if (view.get().name().equals(CostPart.OF_TENANTS)) {
                context.output(COSTS, CostPart.ofTenant(window));
            }
            for (BaselineRule rule : configuration.baselinesOf(view.get().name())) {
                Set<String> metrics =
                        w.metricsByRule.computeIfAbsent(rule.of().toString(), of -> metrics(rule.of(), w.catalogue));
                context.output(COMPARISONS, member(window, rule.name(), List.of(rule.across()), metrics));
            }
            for (FigureRule rule : w.catalogue.figures()) {
                if (rule.view().name().equals(view.get().name())) {
                    sendFigures(rule, window, context);
                }
            }
        }
    }

    /** What is counted under other values is not the same from day to day. */
    private void sendToAnomalies(View view, WindowStat window, ReadOnlyContext context) throws Exception {
        if (Series.values(window.getSeries()).contains(GroupingDimension.OTHER)) {
            return;
        }
        byte[] content = part(window, window.getSeries(), window.getDimensions(), working().followed);
        context.output(
                ANOMALIES,
                new Member(
                        view.name(),
                        window.getSeries(),
                        "",
                        window.getWindowMicros(),
                        window.getWindowEndMicros(),
                        content));
        if (view.peers().isPresent()) {
            String group = Series.name(
                    view.name(),
                    window.getDimensions().stream()
                            .filter(of -> !view.peers().equals(Optional.of(of.getName())))
                            .map(Dimension::getValue)
                            .toArray(String[]::new));
            context.output(
                    PEERS,
                    new Member(
                            view.name(),
                            group,
                            window.getSeries(),
                            window.getWindowMicros(),
                            window.getWindowEndMicros(),
                            content));
        }
    }

    /** Corrections too: an error budget is of all requests. */
    private void sendPromised(WindowStat window, Configuration configuration, ReadOnlyContext context)
            throws Exception {
        Set<String> metrics = configuration.promisesOf(window).stream()
                .flatMap(promise -> promise.metrics().stream())
                .collect(Collectors.toSet());
        if (!metrics.isEmpty()) {
            String series = window.getSeries();
            context.output(
                    PROMISED,
                    new Member(
                            SloFunction.TASK,
                            series,
                            "",
                            window.getWindowMicros(),
                            window.getWindowEndMicros(),
                            part(window, series, window.getDimensions(), metrics)));
        }
    }

    private void sendFigures(FigureRule rule, WindowStat window, ReadOnlyContext context) throws Exception {
        if (!rule.kind().isContinued()) {
            FigureRule.Kind.Input input = rule.input();
            context.output(FIGURES, member(window, rule.name(), input.across(), Set.copyOf(input.metrics())));
        } else if (window.getWindowMicros() == MINUTE_MICROS) {
            Member member = continued(rule, window);
            if (!Series.values(member.group()).contains(GroupingDimension.OTHER)) {
                context.output(rule.kind() == FigureRule.Kind.PADDING ? PADDING : MEMORY, member);
            }
        }
    }

    /** Windows of several views meet in a group, which is named by its values alone. */
    private Member continued(FigureRule rule, WindowStat window) {
        FigureRule.Kind.Input input = rule.input();
        String group = Series.name(
                rule.kind().measurement(),
                window.getDimensions().stream()
                        .filter(of -> !input.across().contains(of.getName()))
                        .map(Dimension::getValue)
                        .toArray(String[]::new));
        WindowStat part = new WindowStat(
                window.getSeries(),
                window.getView(),
                window.getDimensions(),
                window.getWindowMicros(),
                window.getWindowEndMicros(),
                window.getRevision(),
                window.getRequests(),
                window.getSums().stream()
                        .filter(sum -> input.metrics().contains(sum.getMetric()))
                        .toList(),
                window.getSketches().stream()
                        .filter(sketch -> input.metrics().contains(sketch.getMetric()))
                        .toList(),
                window.getGauges().stream()
                        .filter(gauge -> input.metrics().contains(gauge.getMetric()))
                        .toList(),
                List.of());
        return new Member(
                rule.kind().measurement(),
                group,
                window.getSeries(),
                window.getWindowMicros(),
                window.getWindowEndMicros(),
                working().codec.encode(part));
    }

    @Override
    public void processBroadcastElement(InboundRecord record, Context context, Collector<Member> out) throws Exception {
        working().settings.take(record, context.getBroadcastState(LiveSettings.STATE));
    }

    private Member member(WindowStat window, String task, List<String> across, Set<String> metrics) throws Exception {
        List<Dimension> common = new ArrayList<>();
        List<String> arm = new ArrayList<>();
        for (Dimension of : window.getDimensions()) {
            if (across.contains(of.getName())) {
                arm.add(of.getValue());
            } else {
                common.add(of);
            }
        }
        String group = Series.name(
                window.getView(), common.stream().map(Dimension::getValue).toArray(String[]::new));
        return new Member(
                task,
                group,
                arm.size() == 1 ? arm.get(0) : Series.name("", arm.toArray(new String[0])),
                window.getWindowMicros(),
                window.getWindowEndMicros(),
                part(window, group, common, metrics));
    }

    /** Of several views, and hence with the name of its own series as arm. */
    private Member memberOfReplica(WindowStat window) throws Exception {
        return new Member(
                ReplicaFunction.TASK,
                new WindowReading(window).dimension("replica"),
                window.getSeries(),
                window.getWindowMicros(),
                window.getWindowEndMicros(),
                part(window, window.getSeries(), window.getDimensions(), ReplicaWindows.METRICS));
    }

    /** The window with no other metrics than these, encoded. */
    private byte[] part(WindowStat window, String series, List<Dimension> dimensions, Set<String> metrics)
            throws Exception {
        WindowStat part = new WindowStat(
                series,
                window.getView(),
                dimensions,
                window.getWindowMicros(),
                window.getWindowEndMicros(),
                window.getRevision(),
                window.getRequests(),
                window.getSums().stream()
                        .filter(sum -> metrics.contains(sum.getMetric()))
                        .toList(),
                window.getSketches().stream()
                        .filter(sketch -> metrics.contains(sketch.getMetric()))
                        .toList(),
                window.getGauges().stream()
                        .filter(gauge -> metrics.contains(gauge.getMetric()))
                        .toList(),
                List.of());
        return working().codec.encode(part);
    }

    private static Set<String> metrics(List<Watch> watches, MetricCatalogue catalogue) {
        return watches.stream()
                .flatMap(watch -> WatchedStatistic.of(watch, catalogue).metrics().stream())
                .collect(Collectors.toSet());
    }

    private Working working() {
        if (working == null) {
            throw new IllegalStateException("used before open()");
        }
        return working;
    }
}
