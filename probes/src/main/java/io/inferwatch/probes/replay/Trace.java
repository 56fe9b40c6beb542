package io.inferwatch.probes.replay;

import io.inferwatch.schemas.RequestEvent;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The requests of one or more recorded files in the order in which they ended; those that ended together in the order of the files.
 * Everything about an event is settled but its instants, which are on the file's own clock, and its stream and sequence.
 *
 * <p>All requests are in memory, about 600 bytes each.
 */
public final class Trace {
    /** Tokens of a block of {@link #prefixBlocks}; the last of a prompt may have fewer. */
    public static final int PREFIX_BLOCK_TOKENS = 512;

    private final List<RequestEvent> events;
    private final long[] startedMicros;
    private final long[] completedMicros;
    private final Map<String, String> identity;
    private final IdentityHashMap<RequestEvent, int[]> prefixBlocks;
    private final Summary summary;

    /**
     * What reading found.
     *
     * @param rows of all files
     * @param skipped rows left out because their prompt is over the limit
     * @param marked requests that carry each mark; marks that none carries are left out
     * @param warnings one line each
     */
    public record Summary(long rows, long skipped, Map<Mark, Long> marked, List<String> warnings) {
        /** A summary with unmodifiable collections. */
        public Summary {
            EnumMap<Mark, Long> copy = new EnumMap<>(Mark.class);
            copy.putAll(marked);
            marked = Collections.unmodifiableMap(copy);
            warnings = List.copyOf(warnings);
        }
    }

    private Trace(TraceRows rows, Map<String, String> identity, Summary summary) {
        this.prefixBlocks = rows.prefixBlocks();
        this.events = rows.events();
        this.identity = identity;
        this.summary = summary;
        this.startedMicros =
                this.events.stream().mapToLong(RequestEvent::getStartedAtMicros).toArray();
        this.completedMicros = this.events.stream()
                .mapToLong(RequestEvent::getCompletedAtMicros)
                .toArray();
    }

    /**
     * Reads files of one format. Several files share one clock.
     *
     * @throws BadTraceException when one cannot be read or does not follow the format, or all hold no request
     */
    public static Trace read(List<Path> files, TraceOptions options) {
        TraceRows rows = new TraceRows(options);
        TraceReader reader = options.format().reader(options, rows);
        Map<String, String> identity = new TreeMap<>(options.identity());
        for (int i = 0; i < files.size(); i++) {
            identity.put("file-" + (i + 1), TraceFile.sha256(files.get(i)));
            reader.read(files.get(i));
        }
        reader.finish();
        long read = rows.events().size();
        rows.limitPrompts();
        if (rows.events().isEmpty()) {
            throw new BadTraceException(files + ": must hold requests, found "
                    + (read == 0 ? "none" : "none within the limit of prompt tokens"));
        }
        rows.events().sort(Comparator.comparingLong(RequestEvent::getCompletedAtMicros));
        Summary summary = new Summary(read, rows.skipped(), rows.marked(), rows.warnings());
        return new Trace(rows, identity, summary);
    }

    /** What reading found. */
    public Summary summary() {
        return summary;
    }

    /** Requests. */
    public int size() {
        return events.size();
    }

    /** The requests in order; instants of each are the file's until it is replayed. */
    public List<RequestEvent> events() {
        return Collections.unmodifiableList(events);
    }

    /** The numbers of the blocks that a request's prompt consists of, equal for equal text after equal text; empty where the file does not say. */
    public Optional<int[]> prefixBlocks(RequestEvent event) {
        return Optional.ofNullable(prefixBlocks.get(event));
    }

    /** When a request started, on the file's clock. */
    long startedMicros(int index) {
        return startedMicros[index];
    }

    /** When a request ended, on the file's clock. */
    long completedMicros(int index) {
        return completedMicros[index];
    }

    /** Content and options that make these requests and no others, by name. */
    Map<String, String> identity() {
        return identity;
    }
}
