package io.inferwatch.probes.engine;

import io.inferwatch.probes.engine.mapping.Engine;
import io.inferwatch.probes.engine.mapping.MappingTable;
import io.inferwatch.probes.engine.mapping.Selector;
import io.inferwatch.probes.engine.mapping.Signal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Finds the signals of a table that a series belongs to, by its name. Dots and other characters that older formats cannot hold count as underscores. One is
 * shared by all targets; it never changes.
 */
final class SeriesIndex {
    private static final Pattern NOT_IN_OLD_NAMES = Pattern.compile("[^\\w:]");
    private static final List<String> OF_HISTOGRAM = List.of("_bucket", "_sum", "_count");

    private final MappingTable table;
    private final Map<String, List<Entry>> entries = new HashMap<>();

    /**
     * A place in the table that names a series.
     *
     * @param name which of the signal's names
     * @param part which part of that name's sum
     * @param suffix what a histogram's series has behind its name
     */
    record Entry(
            Engine engine, Signal signal, boolean ofDevice, int name, int part, Selector selector, String suffix) {}

    SeriesIndex(MappingTable table) {
        this.table = table;
        for (Engine engine : table.engines()) {
            engine.signals().forEach(signal -> add(engine, signal, false));
            Engine.Device device = engine.device();
            if (device != null) {
                device.signals().forEach(signal -> add(engine, signal, true));
            }
        }
    }

    MappingTable table() {
        return table;
    }

    /** The places that name such a series, whatever its labels. */
    List<Entry> of(String series) {
        return entries.getOrDefault(plain(series), List.of());
    }

    static String plain(String series) {
        return NOT_IN_OLD_NAMES.matcher(series).replaceAll("_");
    }

    private void add(Engine engine, Signal signal, boolean ofDevice) {
        for (int name = 0; name < signal.names().size(); name++) {
            List<Selector> sum = signal.names().get(name);
            for (int part = 0; part < sum.size(); part++) {
                Selector selector = sum.get(part);
                List<String> suffixes = signal instanceof Signal.Distribution ? OF_HISTOGRAM : List.of("");
                for (String suffix : suffixes) {
                    entries.computeIfAbsent(plain(selector.series() + suffix), absent -> new ArrayList<>())
                            .add(new Entry(engine, signal, ofDevice, name, part, selector, suffix));
                }
            }
        }
    }
}
