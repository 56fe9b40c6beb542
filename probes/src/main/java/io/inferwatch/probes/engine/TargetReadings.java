package io.inferwatch.probes.engine;

import io.inferwatch.probes.engine.exposition.IncompletePageException;
import io.inferwatch.probes.engine.exposition.PageReader;
import io.inferwatch.probes.engine.exposition.Rejection;
import io.inferwatch.probes.engine.mapping.Engine;
import io.inferwatch.probes.engine.mapping.Signal;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.GpuSample;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What one target has told so far: takes its pages one after the other and makes samples of them. What a page does not say is null in its sample. Memory
 * grows with the target's series up to the limit; series beyond it are counted and left. Belongs to one thread.
 */
final class TargetReadings {
    private static final String PROCESS_START = "process_start_time_seconds";
    private static final String CREATED = "_created";
    private static final String UNDEFINED = "undefined";
    private static final double SENTINELS_64 = 9.22e18;
    private static final double BLANK_DOUBLE = 140_737_488_355_328.0;
    private static final double BLANK_INT = 2_147_483_632.0;
    private static final double BLANK_UINT = 4_294_967_295.0;
    private static final int BLANKS = 4;
    private static final int MAX_UNKNOWN_NAMES = 1_000;

    private final SeriesIndex index;
    private final int maxSeries;
    private final PageReader<Series> reader;
    private final PageReader.Samples<Series> samples = new Samples();
    private final Map<List<Object>, Series> toldSeries = new HashMap<>();
    private final Map<Engine, EngineState> engines = new LinkedHashMap<>();
    private final Map<List<String>, Device> devices = new LinkedHashMap<>();
    private final ProcessHistory history = new ProcessHistory();
    private final List<Cell> counters = new ArrayList<>();
    private final Map<Rejection, Long> rejections = new EnumMap<>(Rejection.class);
    private final Map<String, String> models = new HashMap<>();
    private final TreeSet<String> unknownNames = new TreeSet<>();
    private long page;
    private long sampleCount;
    private long mappedCount;
    private long unknownCount;
    private double startSeconds = Double.NaN;
    private double createdSeconds = Double.NaN;
    private double pageBeforeSeconds = Double.NaN;
    private @Nullable String model;
    private boolean severalModels;
    private ProcessHistory.Verdict verdict = ProcessHistory.Verdict.COUNT;

    /**
     * A page as it was understood.
     *
     * @param engine null where nothing of an engine is on it
     * @param samples how many the page had
     * @param mapped how many of them mean something here
     * @param unknown how many nobody knows
     */
    record Page(@Nullable EngineSample engine, List<GpuSample> gpus, long samples, long mapped, long unknown) {}

    TargetReadings(SeriesIndex index, int maxSeries) {
        this.index = index;
        this.maxSeries = maxSeries;
        reader = new PageReader<>(maxSeries, this::resolve);
        index.table().engines().forEach(engine -> engines.put(engine, new EngineState()));
    }

    /**
     * Takes a page.
     *
     * @param atMicros when it was whole, epoch microseconds
     * @throws IncompletePageException when it is cut short; then nothing of it counts
     */
    Page read(byte[] text, int from, int to, boolean openMetrics, long atMicros) throws IncompletePageException {
        begin();
        reader.read(text, from, to, openMetrics, samples);
        return end(atMicros);
    }

    /** Takes a page that is given sample by sample. */
    Page read(Iterable<PushedMetrics.Point> told, long atMicros) {
        begin();
        for (PushedMetrics.Point sample : told) {
            List<Object> key = List.of(sample.name(), sample.labels());
            Series series = toldSeries.get(key);
            if (series == null && toldSeries.size() < maxSeries) {
                series = resolve(sample.name(), sample.labels());
                toldSeries.put(key, series);
            }
            if (series == null) {
                reject(Rejection.TOO_MANY_SERIES);
            } else {
                samples.sample(series, sample.value(), PageReader.NO_TIME);
            }
        }
        return end(atMicros);
    }

    /** Samples that were not taken so far, by reason. */
    Map<Rejection, Long> rejections() {
        return new EnumMap<>(rejections);
    }

    /** Names of series that nobody knows, in order; the first {@value #MAX_UNKNOWN_NAMES} that were seen. */
    Set<String> unknownNames() {
        return Collections.unmodifiableSet(unknownNames);
    }

    /** What the last page told, signal by signal. */
    List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        engines.forEach((engine, state) -> findings.addAll(state.findings(engine.name(), page)));
        return findings;
    }

    /** The histograms of the last page, with their buckets. */
    Map<String, GridCheck.Grid> grids() {
        Map<String, GridCheck.Grid> grids = new TreeMap<>();
        engines.values().forEach(state -> state.distributions().stream()
                .filter(distribution -> distribution.series() != null)
                .forEach(distribution -> grids.putIfAbsent(distribution.signal().name(), distribution.grid())));
        return grids;
    }

    /** Series of histograms that were left out, for their buckets are not those of the others. */
    long otherGrids() {
        return engines.values().stream()
                .flatMap(state -> state.distributions().stream())
                .mapToLong(DistributionState::otherGrids)
                .sum();
    }

    /**
     * What a page told of one signal.
     *
     * @param value as the engine says it, without its factor and not as a difference
     */
    record Finding(String engine, String signal, String value, String series) {}

    private void begin() {
        page++;
        sampleCount = 0;
        mappedCount = 0;
        unknownCount = 0;
        startSeconds = Double.NaN;
        createdSeconds = Double.NaN;
        model = null;
        severalModels = false;
    }

    private Page end(long atMicros) {
        double start = Double.isNaN(startSeconds) ? createdSeconds : startSeconds;
        List<Cell> present = new ArrayList<>();
        for (Cell cell : counters) {
            if (cell.isOn(page)) {
                present.add(cell);
            }
        }
        verdict = history.page(present, counters, start, pageBeforeSeconds);
        pageBeforeSeconds = atMicros / 1e6;
        if (verdict != ProcessHistory.Verdict.HOLD) {
            boolean valid = verdict != ProcessHistory.Verdict.UNSTABLE;
            for (EngineState state : engines.values()) {
                state.count(page, valid);
            }
        }
        devices.values().forEach(device -> device.count(page));
        return new Page(engineSample(atMicros), gpuSamples(atMicros), sampleCount, mappedCount, unknownCount);
    }

    private final class Samples implements PageReader.Samples<Series> {
        @Override
        public void sample(Series series, double value, long atMillis) {
            sampleCount++;
            switch (series.standing()) {
                case UNUSED -> unused(series, value);
                case UNKNOWN -> unknownCount++;
                case MAPPED -> mapped(series, value, atMillis);
            }
        }

        @Override
        public void rejected(Rejection reason) {
            reject(reason);
        }
    }

    private void mapped(Series series, double value, long atMillis) {
        if (Double.isNaN(value)) {
            reject(Rejection.NAN);
            return;
        }
        if (isSentinel(value)) {
            reject(Rejection.SENTINEL);
            return;
        }
        mappedCount++;
        if (series.model() != null && !series.model().equals(model)) {
            severalModels |= model != null;
            model = series.model();
        }
        series.use().take(value, atMillis, page);
    }

    /** Not available, as DCGM says it in 64 bits, 32 bits and doubles. */
    private static boolean isSentinel(double value) {
        return value >= SENTINELS_64
                || (value >= BLANK_DOUBLE && value < BLANK_DOUBLE + BLANKS)
                || (value >= BLANK_INT && value < BLANK_INT + BLANKS)
                || value == BLANK_UINT;
    }

    private void unused(Series series, double value) {
        if (series.name().equals(PROCESS_START)) {
            startSeconds = value;
        } else if (series.name().endsWith(CREATED) && !(value >= createdSeconds)) {
            createdSeconds = value;
        }
    }

    private void reject(Rejection reason) {
        rejections.merge(reason, 1L, Long::sum);
    }

    private Series resolve(String name, Map<String, String> labels) {
        List<Series.Use> uses = new ArrayList<>();
        boolean isNamed = false;
        for (SeriesIndex.Entry entry : index.of(name)) {
            isNamed = true;
            if (entry.selector().matches(labels)) {
                Series.Use use = use(entry, labels);
                if (use != null) {
                    uses.add(use);
                }
            }
        }
        if (!uses.isEmpty()) {
            String of = labels.getOrDefault("model_name", labels.getOrDefault("model", ""));
            String told = of.isEmpty() || of.equals(UNDEFINED) ? null : models.computeIfAbsent(of, model -> model);
            return new Series("", Series.Standing.MAPPED, told, Series.Use.of(uses));
        }
        boolean isKnown = isNamed || name.isEmpty() || index.table().isUnused(name);
        if (!isKnown && unknownNames.size() < MAX_UNKNOWN_NAMES) {
            unknownNames.add(name);
        }
        return new Series(
                isKnown ? name : "",
                isKnown ? Series.Standing.UNUSED : Series.Standing.UNKNOWN,
                null,
                Series.Use.of(List.of()));
    }

    private Series.@Nullable Use use(SeriesIndex.Entry entry, Map<String, String> labels) {
        EngineState state = engines.computeIfAbsent(entry.engine(), absent -> new EngineState());
        if (entry.signal() instanceof Signal.Value value) {
            return entry.ofDevice() ? ofDevice(entry, value, labels) : ofValue(state.value(value), entry, labels);
        }
        if (entry.signal() instanceof Signal.Info info) {
            Cell row = state.info(info).row(entry.name(), labels);
            return row;
        }
        return entry.signal() instanceof Signal.Distribution distribution
                ? ofDistribution(state.distribution(distribution), entry, labels)
                : null;
    }

    private Series.Use ofValue(ValueState state, SeriesIndex.Entry entry, Map<String, String> labels) {
        Cell cell = state.cell(entry.name(), entry.part(), key(entry, labels));
        counter(cell, state.isCounter());
        return (value, atMillis, onPage) -> {
            if (state.isPossible(value)) {
                cell.take(value, atMillis, onPage);
            } else {
                reject(Rejection.OUT_OF_RANGE);
            }
        };
    }

    private Series.@Nullable Use ofDevice(SeriesIndex.Entry entry, Signal.Value signal, Map<String, String> labels) {
        Engine.Device kind = entry.engine().device();
        if (kind == null) {
            return null;
        }
        String uuid = kind.id(labels);
        String instance = labels.getOrDefault(kind.instance(), "");
        Device device =
                devices.computeIfAbsent(List.of(uuid, instance), absent -> new Device(kind, uuid, instance, labels));
        Cell cell = device.cell(signal, entry.name(), entry.part(), labels);
        return (value, atMillis, onPage) -> {
            if (value >= signal.least() && value <= signal.most()) {
                cell.take(value, atMillis, onPage);
            } else {
                reject(Rejection.OUT_OF_RANGE);
            }
        };
    }

    private Series.@Nullable Use ofDistribution(
            DistributionState state, SeriesIndex.Entry entry, Map<String, String> labels) {
        if (entry.suffix().equals("_count")) {
            // The open bucket is the same.
            return (value, atMillis, onPage) -> {};
        }
        List<String> key = key(entry, labels);
        Cell cell;
        if (entry.suffix().equals("_sum")) {
            cell = state.sum(entry.name(), key);
        } else {
            double bound = bound(labels.getOrDefault("le", ""));
            if (Double.isNaN(bound)) {
                reject(Rejection.MALFORMED_LABELS);
                return null;
            }
            cell = state.bucket(entry.name(), key, bound);
        }
        counter(cell, true);
        return cell;
    }

    private void counter(Cell cell, boolean isCounter) {
        if (isCounter && cell.begin()) {
            counters.add(cell);
        }
    }

    /** What tells a series from others of its name: its labels but those of ranks and of the bucket. */
    private static List<String> key(SeriesIndex.Entry entry, Map<String, String> labels) {
        List<String> key = new ArrayList<>();
        new TreeMap<>(labels).forEach((label, value) -> {
            if (!label.equals("le") && !entry.engine().ranks().contains(label)) {
                key.add(label + "=" + value);
            }
        });
        return key;
    }

    private static double bound(String text) {
        if (text.equals("+Inf") || text.equals("Inf")) {
            return Double.POSITIVE_INFINITY;
        }
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    private @Nullable EngineSample engineSample(long atMicros) {
        EngineSample sample = EngineSample.newBuilder()
                .setStream("")
                .setSequence(0)
                .setSampledAtMicros(atMicros)
                .setIntervalMicros(0)
                .setReplica("")
                .setMapping(index.table().version())
                .setModel(severalModels ? null : model)
                .build();
        TreeSet<String> marks = new TreeSet<>();
        boolean isUnstable = verdict == ProcessHistory.Verdict.UNSTABLE;
        if (isUnstable) {
            marks.add("unstable-source");
        } else if (verdict == ProcessHistory.Verdict.COUNT_RESET) {
            marks.add("counter-reset");
        }
        if (history.isShared()) {
            marks.add("several-workers");
        }
        // The first engine of the table that a page tells of is the engine; what later ones tell beside it, as a
        // gateway does, fills what is left.
        engines.forEach((engine, state) -> {
            if (state.fill(sample, page, isUnstable, marks) && sample.getEngine() == null) {
                sample.setEngine(engine.name());
            }
        });
        sample.setMarks(List.copyOf(marks));
        return sample.getEngine() == null ? null : sample;
    }

    private List<GpuSample> gpuSamples(long atMicros) {
        List<GpuSample> gpus = new ArrayList<>();
        Map<String, List<Device>> instances = new LinkedHashMap<>();
        devices.values().forEach(device -> {
            List<Device> known = instances.computeIfAbsent(device.uuid(), absent -> new ArrayList<>());
            if (device.isInstance()) {
                known.add(device);
            }
        });
        instances.forEach((uuid, ofBoard) -> {
            Device board = devices.get(List.of(uuid, ""));
            if (board == null) {
                board = ofBoard.get(0).board();
                devices.put(List.of(uuid, ""), board);
            }
            add(gpus, board.sample(page, atMicros, ofBoard));
            ofBoard.forEach(device -> add(gpus, device.sample(page, atMicros, List.of())));
        });
        return gpus;
    }

    private static void add(List<GpuSample> gpus, @Nullable GpuSample sample) {
        if (sample != null) {
            gpus.add(sample);
        }
    }
}
