package io.inferwatch.probes.load;

import io.inferwatch.probes.load.Message.Role;
import io.inferwatch.probes.replay.Trace;
import io.inferwatch.schemas.RequestEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a trace at its times, those of one instant in the order of the file. Prompts have the recorded lengths: of a conversation each repeats the former one's beginning, of a
 * trace with blocks equal blocks are equal text, all others share nothing. A row that does not say how long its prompt was cannot be sent and is counted; one that got
 * no answer asks for a single token.
 */
final class TraceWorkload implements Workload {
    private static final long NANOS_PER_MICRO = 1_000;

    private final Trace trace;
    private final List<RequestEvent> rows;
    private final Map<String, Long> sessions = new HashMap<>();
    private final double speedup;
    private final long seed;
    private final long limit;
    private int next;

    /**
     * A trace, that many times faster than recorded.
     *
     * @param limit of requests
     */
    TraceWorkload(Trace trace, double speedup, long limit, long seed) {
        this.trace = trace;
        this.speedup = speedup;
        this.limit = limit;
        this.seed = seed;
        this.rows = trace.events().stream()
                .filter(row -> row.getPromptTokens() != null)
                .sorted(Comparator.comparingLong(RequestEvent::getStartedAtMicros)
                        .thenComparingLong(RequestEvent::getRow))
                .toList();
        if (rows.isEmpty()) {
            throw new IllegalArgumentException("trace: must say how long prompts are, found no row that does");
        }
    }

    /** Requests that it will give. */
    long size() {
        return Math.min(limit, rows.size());
    }

    /** Rows that cannot be sent. */
    long withoutLength() {
        return (long) trace.size() - rows.size();
    }

    /** Requests a second on average, at the speed that was asked for. */
    double ratePerSecond() {
        long spanMicros =
                rows.get(rows.size() - 1).getStartedAtMicros() - rows.get(0).getStartedAtMicros();
        return rows.size() * 1e6 * speedup / Math.max(1, spanMicros);
    }

    @Override
    public @Nullable PlannedRequest next() {
        if (next >= size()) {
            return null;
        }
        int number = next++;
        RequestEvent row = rows.get(number);
        Long answer = row.getOutputTokens();
        return new PlannedRequest(
                number,
                afterNanos(row),
                List.of(new Message(Role.USER, words(row, number))),
                answer == null ? 1 : Math.max(1, Math.toIntExact(answer)),
                row.getSession(),
                row.getTurn(),
                0,
                null);
    }

    private long afterNanos(RequestEvent row) {
        long afterMicros = row.getStartedAtMicros() - rows.get(0).getStartedAtMicros();
        return Math.round(afterMicros / speedup * NANOS_PER_MICRO);
    }

    private List<Piece> words(RequestEvent row, int number) {
        int tokens = Math.max(1, Math.toIntExact(row.getPromptTokens()));
        List<Piece> words = new ArrayList<>();
        int left = tokens;
        Optional<int[]> blocks = trace.prefixBlocks(row);
        if (blocks.isPresent()) {
            for (int block : blocks.get()) {
                int taken = Math.min(left, Trace.PREFIX_BLOCK_TOKENS);
                if (taken > 0) {
                    words.add(new Words(mixed(seed ^ ~block), taken));
                    left -= taken;
                }
            }
        }
        if (left > 0) {
            String session = row.getSession();
            long content = session == null ? number : sessions.computeIfAbsent(session, name -> -1L - sessions.size());
            words.add(new Words(mixed(seed + mixed(content)), left));
        }
        return words;
    }

    /** SplitMix's final step. */
    private static long mixed(long value) {
        long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
