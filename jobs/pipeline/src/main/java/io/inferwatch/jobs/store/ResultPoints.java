package io.inferwatch.jobs.store;

import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.PointBuilder;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.schemas.ComparisonResult;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.DriftResult;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.Judgement;
import io.inferwatch.schemas.MixChange;
import io.inferwatch.schemas.MixShare;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.View;
import io.inferwatch.schemas.catalogue.Watch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * Points of what was computed of windows: a drift result is a point of {@code drift}, and one of {@code mix} where the traffic's part is
 * known; a comparison one of {@code comparison}; figures one of the measurement that their kind names. Time is the window's end; results
 * of windows of an hour go to {@code r1h}, those of load runs to {@code runs}, all others to {@code r1m}. What is not known is left out, never 0. Pure.
 */
final class ResultPoints {
    private static final long HOUR_MICROS = Duration.ofHours(1).toSeconds() * 1_000_000;

    private static final List<String> TAGS =
            List.of(Field.VIEW, Field.METRIC, Field.STATISTIC, Field.COMPARISON, Field.AGAINST);
    private static final List<String> OF_JUDGEMENTS = List.of(
            Field.VERDICT,
            Field.SCALE,
            Field.UNIT,
            Field.CURRENT,
            Field.BASELINE,
            Field.CHANGE,
            Field.CHANGE_LOW,
            Field.CHANGE_HIGH,
            Field.P,
            Field.Q,
            Field.N,
            Field.N_BASELINE,
            Field.DETECTABLE_CHANGE,
            Field.PROVABLE_CHANGE,
            Field.THRESHOLD,
            Field.DRIFTING,
            Field.DRIFTING_SINCE_MICROS,
            Field.WINDOWS,
            Field.BASELINE_KIND,
            Field.MIX_SHARE,
            Field.REBASED,
            Field.PINNED,
            Field.VALUE);
    private static final List<String> OF_MIXES = List.of(
            Field.TOTAL,
            Field.RATE,
            Field.MIX,
            Field.MIX_SHARE,
            Field.MEAN_TOTAL,
            Field.MEAN_RATE,
            Field.MEAN_MIX,
            Field.COVERED);

    private static final Map<String, Measurement> KINDS = Stream.of(
                    Measurement.STAGE,
                    Measurement.PROMPT_SHAPE,
                    Measurement.KV_JOINT,
                    Measurement.BOTTLENECK,
                    Measurement.PLACEMENT,
                    Measurement.GRAPH_CAPTURE,
                    Measurement.JITTER_STUDY,
                    Measurement.SCHEDULER,
                    Measurement.CONTENTION,
                    Measurement.KERNEL_CACHE,
                    Measurement.KERNEL_TIMING,
                    Measurement.MEMORY,
                    Measurement.FRAGMENTATION,
                    Measurement.KV_CACHE,
                    Measurement.PADDING,
                    Measurement.LOAD_STEP,
                    Measurement.ANOMALY,
                    Measurement.STRAGGLER,
                    Measurement.ANOMALY_FINDING,
                    Measurement.COST,
                    Measurement.DEVICE_CHOICE,
                    Measurement.TENANT,
                    Measurement.CAUSE,
                    Measurement.SLO)
            .collect(Collectors.toUnmodifiableMap(Measurement::measurementName, measurement -> measurement));

    private final Map<String, View> views = new HashMap<>();
    /** Base unit by metric or ratio. */
    private final Map<String, String> units = new HashMap<>();

    /**
     * Points after a catalogue.
     *
     * @throws IllegalArgumentException when a dimension would have the name of another tag or field
     */
    ResultPoints(MetricCatalogue catalogue) {
        catalogue.views().forEach(view -> views.put(view.name(), view));
        catalogue
                .metrics()
                .forEach(metric -> units.put(metric.name(), metric.unit().base()));
        catalogue.ratios().forEach(ratio -> units.put(ratio.name(), "ratio"));
        catalogue.views().forEach(view -> requireDistinctNames(view.dimensionNames(), OF_JUDGEMENTS));
        catalogue.views().stream()
                .filter(view -> view.mix().isPresent())
                .forEach(view -> requireDistinctNames(withoutMix(view), OF_MIXES));
    }

    /**
     * The record's points.
     *
     * @throws UndecodableEventException when it is no result
     * @throws UnstorableException when no point can be made of it
     */
    List<Point> of(SpecificRecord result) throws UndecodableEventException, UnstorableException {
        if (result instanceof DriftResult drift) {
            return of(drift);
        }
        if (result instanceof ComparisonResult comparison) {
            return List.of(of(comparison));
        }
        if (result instanceof FigureResult figures) {
            return List.of(of(figures));
        }
        throw new UndecodableEventException(
                UndecodableEventException.Reason.UNEXPECTED_RECORD,
                "record: must be DriftResult, ComparisonResult or FigureResult, found "
                        + result.getSchema().getFullName(),
                null);
    }

    private List<Point> of(DriftResult result) throws UnstorableException {
        View view = WindowPoints.require(views, result.getView());
        WindowPoints.requireDimensions(view, withoutMix(view), result.getDimensions());
        String unit = unit(result.getMetric(), result.getStatistic());
        MixChange mix = result.getMix();

        PointBuilder point = tagged(Measurement.DRIFT, result);
        add(point, result.getRaw(), unit);
        point.integer(Field.WINDOWS, result.getWindows()).text(Field.BASELINE_KIND, result.getBaseline());
        addAdjusted(point, result.getAdjusted());
        if (mix != null) {
            addMixShare(point, mix);
        }
        addDrifting(point, result.getDrifting(), result.getDriftingSinceMicros());
        flag(point, Field.REBASED, result.getRebased());

        List<Point> points = new ArrayList<>();
        points.add(at(result.getWindowMicros(), result.getWindowEndMicros(), point));
        if (mix != null) {
            PointBuilder parts = tagged(Measurement.MIX, result);
            add(parts, mix);
            points.add(at(result.getWindowMicros(), result.getWindowEndMicros(), parts));
        }
        return points;
    }

    private Point of(ComparisonResult result) throws UnstorableException {
        View view = WindowPoints.require(views, result.getView());
        List<String> others = new ArrayList<>(view.dimensionNames());
        if (!others.remove(result.getAcross())) {
            throw new UnstorableException(
                    UnstorableException.Reason.DIMENSIONS_DIFFER,
                    "across: must be one of " + others + " as of view " + view.name() + ", found '" + result.getAcross()
                            + "'",
                    null);
        }
        WindowPoints.requireDimensions(view, others, result.getDimensions());
        PointBuilder point = PointBuilder.of(Measurement.COMPARISON).tag(Field.COMPARISON, result.getComparison());
        tag(point, result.getView(), result.getDimensions());
        point.tag(result.getAcross(), result.getValue())
                .tag(Field.AGAINST, result.getBaselineValue())
                .tag(Field.METRIC, result.getMetric())
                .tag(Field.STATISTIC, result.getStatistic());
        add(point, result.getJudgement(), unit(result.getMetric(), result.getStatistic()));
        point.text(Field.VALUE, result.getValue());
        flag(point, Field.PINNED, result.getPinned());
        addDrifting(point, result.getDrifting(), result.getDriftingSinceMicros());
        return at(result.getWindowMicros(), result.getWindowEndMicros(), point);
    }

    private Point of(FigureResult result) throws UnstorableException {
        Measurement measurement = KINDS.get(result.getKind());
        if (measurement == null) {
            throw new UnstorableException(
                    UnstorableException.Reason.UNKNOWN_KIND,
                    "kind: must be one of " + String.join(", ", new TreeMap<>(KINDS).keySet()) + ", found '"
                            + result.getKind() + "'",
                    null);
        }
        View view = WindowPoints.require(views, result.getView());
        requireDistinctNames(result);
        PointBuilder point = PointBuilder.of(measurement);
        tag(point, result.getView(), result.getDimensions());
        new TreeMap<>(result.getCounts()).forEach(point::integer);
        new TreeMap<>(result.getValues()).forEach(point::real);
        new TreeMap<>(result.getTexts()).forEach(point::text);
        if (view.synthetic()) {
            WindowPoints.requireWindow(result.getWindowMicros(), result.getWindowEndMicros());
            return new Point(RetentionPolicy.RUNS, point, result.getWindowEndMicros());
        }
        return at(result.getWindowMicros(), result.getWindowEndMicros(), point);
    }

    private static PointBuilder tagged(Measurement measurement, DriftResult result) {
        PointBuilder point = PointBuilder.of(measurement);
        tag(point, result.getView(), result.getDimensions());
        return point.tag(Field.METRIC, result.getMetric()).tag(Field.STATISTIC, result.getStatistic());
    }

    private static void tag(PointBuilder point, String view, List<Dimension> dimensions) {
        point.tag(Field.VIEW, view);
        dimensions.forEach(dimension -> point.tag(dimension.getName(), dimension.getValue()));
    }

    private static void add(PointBuilder point, Judgement judgement, String unit) {
        point.text(Field.VERDICT, judgement.getVerdict().name())
                .text(Field.SCALE, judgement.getScale().name())
                .text(Field.UNIT, unit);
        real(point, Field.CURRENT, judgement.getCurrent());
        real(point, Field.BASELINE, judgement.getBaseline());
        real(point, Field.CHANGE, judgement.getChange());
        real(point, Field.CHANGE_LOW, judgement.getChangeLow());
        real(point, Field.CHANGE_HIGH, judgement.getChangeHigh());
        real(point, Field.P, judgement.getP());
        real(point, Field.Q, judgement.getQ());
        point.integer(Field.N, judgement.getN()).integer(Field.N_BASELINE, judgement.getBaselineN());
        real(point, Field.DETECTABLE_CHANGE, judgement.getDetectableChange());
        real(point, Field.PROVABLE_CHANGE, judgement.getProvableChange());
        point.real(Field.THRESHOLD, judgement.getThreshold());
    }

    private static void addAdjusted(PointBuilder point, @Nullable Judgement adjusted) {
        if (adjusted == null) {
            return;
        }
        point.text(Field.adjusted(Field.VERDICT), adjusted.getVerdict().name());
        real(point, Field.adjusted(Field.CHANGE), adjusted.getChange());
        real(point, Field.adjusted(Field.CHANGE_LOW), adjusted.getChangeLow());
        real(point, Field.adjusted(Field.CHANGE_HIGH), adjusted.getChangeHigh());
        real(point, Field.adjusted(Field.P), adjusted.getP());
        real(point, Field.adjusted(Field.Q), adjusted.getQ());
        point.integer(Field.adjusted(Field.N), adjusted.getN())
                .integer(Field.adjusted(Field.N_BASELINE), adjusted.getBaselineN());
        real(point, Field.adjusted(Field.DETECTABLE_CHANGE), adjusted.getDetectableChange());
    }

    private static void addDrifting(PointBuilder point, boolean drifting, @Nullable Long sinceMicros) {
        flag(point, Field.DRIFTING, drifting);
        if (sinceMicros != null) {
            point.integer(Field.DRIFTING_SINCE_MICROS, sinceMicros);
        }
    }

    private static void add(PointBuilder point, MixChange mix) {
        point.real(Field.TOTAL, mix.getTotal()).real(Field.RATE, mix.getRate()).real(Field.MIX, mix.getMix());
        addMixShare(point, mix);
        point.real(Field.MEAN_TOTAL, mix.getMeanTotal())
                .real(Field.MEAN_RATE, mix.getMeanRate())
                .real(Field.MEAN_MIX, mix.getMeanMix())
                .real(Field.COVERED, mix.getCovered());
        for (MixShare share : mix.getShares()) {
            point.real(Field.shareNow(share.getBucket()), share.getCurrent())
                    .real(Field.shareThen(share.getBucket()), share.getBaseline());
        }
    }

    private static void addMixShare(PointBuilder point, MixChange mix) {
        if (mix.getTotal() != 0) {
            point.real(Field.MIX_SHARE, mix.getMix() / mix.getTotal());
        }
    }

    private static void real(PointBuilder point, String field, @Nullable Double value) {
        if (value != null) {
            point.real(field, value);
        }
    }

    /** As a number, since InfluxQL neither adds nor averages booleans. */
    private static void flag(PointBuilder point, String field, boolean value) {
        point.integer(field, value ? 1 : 0);
    }

    private static Point at(long windowMicros, long endMicros, PointBuilder point) throws UnstorableException {
        WindowPoints.requireWindow(windowMicros, endMicros);
        return new Point(windowMicros >= HOUR_MICROS ? RetentionPolicy.R1H : RetentionPolicy.R1M, point, endMicros);
    }

    private String unit(String metric, String statistic) throws UnstorableException {
        String unit = units.get(metric);
        if (unit == null) {
            throw new UnstorableException(
                    UnstorableException.Reason.UNKNOWN_METRIC,
                    "metric: must be one of the catalogue's, found '" + metric + "'",
                    null);
        }
        return statistic.equals(Watch.Statistic.RATE.label()) ? unit + "_per_second" : unit;
    }

    private static List<String> withoutMix(View view) {
        return view.dimensionNames().stream()
                .filter(name -> !view.mix().equals(Optional.of(name)))
                .toList();
    }

    private static void requireDistinctNames(List<String> dimensions, List<String> fields) {
        Set<String> names = new HashSet<>(TAGS);
        dimensions.forEach(dimension -> WindowPoints.requireNew(names, "tag", dimension));
        fields.forEach(field -> WindowPoints.requireNew(names, "field", field));
    }

    private static void requireDistinctNames(FigureResult result) throws UnstorableException {
        List<String> all = new ArrayList<>(List.of(Field.VIEW));
        result.getDimensions().forEach(dimension -> all.add(dimension.getName()));
        all.addAll(new TreeMap<>(result.getCounts()).keySet());
        all.addAll(new TreeMap<>(result.getValues()).keySet());
        all.addAll(new TreeMap<>(result.getTexts()).keySet());
        Set<String> seen = new HashSet<>();
        for (String name : all) {
            if (!seen.add(name)) {
                throw new UnstorableException(
                        UnstorableException.Reason.NAME_TWICE,
                        "dimensions, counts, values, texts: must have names of their own, found '" + name + "' twice",
                        null);
            }
        }
    }
}
