package io.inferwatch.probes.engine.mapping;

import io.inferwatch.probes.identity.Glob;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.schemas.settings.Settings;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The versioned table from engines' series to the fields of samples, read strictly from YAML: fields, signals and series are checked whole. A user's own
 * entries go before the built-in ones, engine by engine and field by field.
 *
 * @param version changes with every change of meaning; every sample carries it
 * @param unused names of series that are known and not needed
 * @param finest by histogram, the first bucket's greatest width with which its quantiles mean something
 */
public record MappingTable(
        String version,
        List<Engine> engines,
        List<Glob> unused,
        List<Capability> capabilities,
        Map<String, Duration> finest) {
    private static final String RESOURCE = "mappings.yaml";
    private static final String PACKAGE_FOLDER = "/io/inferwatch/probes/engine/";
    private static final Map<String, RecordField> ENGINE_FIELDS = RecordField.of(EngineSample.getClassSchema());
    private static final Map<String, RecordField> GPU_FIELDS = RecordField.of(GpuSample.getClassSchema());
    private static final Map<String, RecordField> REASONS = reasons();
    private static final Set<String> HISTOGRAMS = Set.of(
            "ttft", "itl", "icl", "tpot", "e2e", "queue", "prefill", "decode", "inference", "step", "kv-transfer");
    private static final Set<String> BASES = Set.of("request", "token", "chunk", "step");

    /** Unmodifiable. */
    public MappingTable {
        engines = List.copyOf(engines);
        unused = List.copyOf(unused);
        capabilities = List.copyOf(capabilities);
        finest = Map.copyOf(finest);
    }

    /** The table that Inferwatch comes with. */
    public static MappingTable builtIn() {
        try (InputStream in = MappingTable.class.getResourceAsStream(PACKAGE_FOLDER + RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException(RESOURCE + ": must be on the class path");
            }
            return parse(RESOURCE, new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * A whole table from a text.
     *
     * @throws InvalidSettingsException with all that is wrong
     */
    static MappingTable parse(String name, String yaml) {
        Settings root = Settings.parse(name, yaml);
        Map<String, Duration> finest = new TreeMap<>();
        Settings limits = root.section("finest");
        limits.texts().keySet().forEach(signal -> {
            Duration limit = limits.duration(signal, Duration.ofMillis(1), Duration.ofHours(1), Duration.ofMillis(100));
            if (limit != null) {
                finest.put(signal, limit);
            }
        });
        MappingTable table = new MappingTable(
                root.text("version"),
                engines(root.section("engines")),
                root.list("unused", Glob::new, List.of()),
                capabilities(root.section("capabilities")),
                finest);
        root.check();
        return table;
    }

    /** This table with the entries of a settings' section {@code mappings} before its own. Problems are the section's. */
    public MappingTable with(Settings section) {
        List<Engine> own = engines(section.section("engines"));
        List<Glob> ownUnused = section.list("unused", Glob::new, List.of());
        if (own.isEmpty() && ownUnused.isEmpty()) {
            return this;
        }
        Map<String, Engine> merged = new LinkedHashMap<>();
        own.forEach(engine -> merged.put(engine.name(), engine));
        engines.forEach(engine -> merged.merge(engine.name(), engine, MappingTable::merge));
        List<Glob> all = new ArrayList<>(ownUnused);
        all.addAll(unused);
        return new MappingTable(
                version + "+" + section.text("version", "local"),
                List.copyOf(merged.values()),
                all,
                capabilities,
                finest);
    }

    /** Whether a series is known and not needed. */
    public boolean isUnused(String series) {
        return unused.stream().anyMatch(glob -> glob.matches(series));
    }

    /** A field that both name is the first one's. */
    private static Engine merge(Engine first, Engine second) {
        Set<String> taken = new LinkedHashSet<>();
        first.signals().forEach(signal -> taken.add(signal.name()));
        List<Signal> signals = new ArrayList<>(first.signals());
        second.signals().stream()
                .filter(signal -> !taken.contains(signal.name()))
                .forEach(signals::add);
        Set<String> ranks = new LinkedHashSet<>(first.ranks());
        ranks.addAll(second.ranks());
        return new Engine(first.name(), ranks, signals, first.device() == null ? second.device() : first.device());
    }

    private static List<Engine> engines(Settings section) {
        List<Engine> engines = new ArrayList<>();
        section.sections().forEach((name, engine) -> {
            List<Signal> signals = new ArrayList<>();
            signals.addAll(values(engine, ENGINE_FIELDS));
            engine.section("histograms")
                    .sections()
                    .forEach((signal, entry) -> signals.add(distribution(engine.section("histograms"), signal, entry)));
            engine.section("infos").sections().forEach((info, entry) -> signals.add(info(info, entry)));
            engines.add(new Engine(
                    name,
                    new LinkedHashSet<>(engine.list("ranks", Function.identity(), List.of())),
                    signals,
                    engine.has("gpu") ? device(engine.section("gpu")) : null));
        });
        return engines;
    }

    private static Map<String, RecordField> reasons() {
        Map<String, RecordField> fields = new LinkedHashMap<>(GPU_FIELDS);
        fields.keySet().retainAll(Set.of("throttleReasons"));
        return fields;
    }

    private static Engine.Device device(Settings section) {
        List<Signal.Value> values = new ArrayList<>(values(section, GPU_FIELDS));
        values.addAll(values(section.section("reasons"), REASONS, Signal.Kind.REASONS));
        return new Engine.Device(
                section.list("uuid", Function.identity(), List.of()),
                section.text("instance", "GPU_I_ID"),
                section.text("index", "gpu"),
                section.text("product", "modelName"),
                section.text("origin"),
                values);
    }

    private static List<Signal.Value> values(Settings section, Map<String, RecordField> fields) {
        List<Signal.Value> values = new ArrayList<>();
        values.addAll(values(section.section("gauges"), fields, Signal.Kind.GAUGE));
        values.addAll(values(section.section("counters"), fields, Signal.Kind.COUNTER));
        values.addAll(values(section.section("codes"), fields, Signal.Kind.LAST_CODE));
        values.addAll(values(section.section("windowed"), fields, Signal.Kind.WINDOWED_COUNT));
        return values;
    }

    private static List<Signal.Value> values(Settings section, Map<String, RecordField> fields, Signal.Kind kind) {
        List<Signal.Value> values = new ArrayList<>();
        section.sections().forEach((name, entry) -> {
            RecordField field = field(section, name, fields, kind == Signal.Kind.REASONS);
            List<List<Selector>> names = names(entry);
            Signal.Combine combine = entry.choice("combine", Signal.Combine.class, Signal.Combine.SUM);
            double factor = number(entry, "factor", 1);
            double least = number(entry, "least", 0);
            double most = number(entry, "most", Double.MAX_VALUE);
            boolean board = entry.flag("board", false);
            String mark = entry.text("mark", "");
            if (field != null) {
                values.add(new Signal.Value(
                        field, kind, combine, factor, least, most, board, mark.isEmpty() ? null : mark, names));
            }
        });
        return values;
    }

    private static Signal.Distribution distribution(Settings section, String name, Settings entry) {
        if (!HISTOGRAMS.contains(name)) {
            section.problem(
                    name,
                    "a latency of " + new TreeSet<>(HISTOGRAMS),
                    "'" + name + "'" + Settings.nearest(name, HISTOGRAMS));
        }
        String basis = entry.text("basis", "request");
        if (!BASES.contains(basis)) {
            entry.problem("basis", "one of " + new TreeSet<>(BASES), "'" + basis + "'");
        }
        return new Signal.Distribution(name, basis, number(entry, "factor", 1e6), names(entry));
    }

    private static Signal.Info info(String name, Settings entry) {
        Map<RecordField, String> numbers = labels(entry.section("numbers"), false);
        Map<RecordField, String> lists = labels(entry.section("lists"), true);
        return new Signal.Info(
                name, numbers, lists, entry.list("configuration", Function.identity(), List.of()), names(entry));
    }

    private static Map<RecordField, String> labels(Settings section, boolean lists) {
        Map<RecordField, String> labels = new LinkedHashMap<>();
        section.texts().forEach((name, label) -> {
            RecordField field = field(section, name, ENGINE_FIELDS, lists);
            if (field != null) {
                labels.put(field, label);
            }
        });
        return labels;
    }

    private static @Nullable RecordField field(
            Settings section, String name, Map<String, RecordField> fields, boolean list) {
        RecordField field = fields.get(name);
        if (field != null && field.isList() == list) {
            return field;
        }
        section.problem(
                name,
                "a field of the sample that takes " + (list ? "a list" : "a number"),
                "'" + name + "'" + Settings.nearest(name, fields.keySet()));
        return null;
    }

    private static List<List<Selector>> names(Settings entry) {
        List<List<Selector>> names = entry.list(
                "series",
                text -> Arrays.stream(text.split(" \\+ ", -1))
                        .map(Selector::parse)
                        .toList(),
                List.of());
        if (!entry.has("series")) {
            // An empty list takes a built-in name away.
            entry.problem("series", "a list of series, newest name first", "none");
        }
        return names;
    }

    private static double number(Settings entry, String key, double whenAbsent) {
        String text = entry.text(key, "");
        if (text.isEmpty()) {
            return whenAbsent;
        }
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            entry.problem(key, "a number in quotes", "'" + text + "'");
            return whenAbsent;
        }
    }

    private static List<Capability> capabilities(Settings section) {
        Set<String> known = new LinkedHashSet<>(ENGINE_FIELDS.keySet());
        known.addAll(HISTOGRAMS);
        List<Capability> capabilities = new ArrayList<>();
        section.sections().forEach((name, entry) -> {
            List<List<String>> needs = entry.list("needs", text -> Arrays.asList(text.split(" or ", -1)), List.of());
            for (List<String> need : needs) {
                for (String signal : need) {
                    if (!known.contains(signal)) {
                        entry.problem(
                                "needs", "fields and histograms", "'" + signal + "'" + Settings.nearest(signal, known));
                    }
                }
            }
            capabilities.add(new Capability(name, needs));
        });
        return capabilities;
    }
}
