package io.inferwatch.probes.replay;

import com.fasterxml.jackson.databind.JsonNode;
import io.inferwatch.schemas.RequestEvent;
import java.nio.file.Path;

/**
 * Mooncake's traces: arrivals, token counts and the prompt's blocks of 512 tokens, without latencies. Many rows share one time, and equal
 * rows are distinct requests: all stay, in the file's order. Timestamps are milliseconds unless told otherwise.
 */
final class MooncakeReader implements TraceReader {
    private static final long TOKENS_PER_BLOCK = Trace.PREFIX_BLOCK_TOKENS;
    private static final long SECOND = 1_000_000;

    private final TraceOptions options;
    private final TraceRows rows;

    MooncakeReader(TraceOptions options, TraceRows rows) {
        this.options = options;
        this.rows = rows;
    }

    @Override
    public void read(Path file) {
        new MooncakeFile(file).read();
    }

    private final class MooncakeFile {
        private final Path file;
        private final ArrivalClock clock = new ArrivalClock(options.onBackwardTime(), rows);
        private final long unitMicros =
                options.timeUnit().orElse(TraceOptions.TimeUnit.MS).micros();
        private long count;
        private long first = Long.MAX_VALUE;
        private long last = Long.MIN_VALUE;

        private MooncakeFile(Path file) {
            this.file = file;
        }

        private void read() {
            new JsonLines(file, rows).read(this::read);
            if (options.timeUnit().isEmpty() && count > 1 && last - first < SECOND) {
                rows.warn(file + ": all " + count + " rows lie within " + (last - first)
                        + " us when timestamps are milliseconds: seconds? then say so with the time unit");
            }
        }

        private void read(JsonNode object, Fields fields, long row) {
            RequestEvent event = rows.blank();
            long promptTokens = fields.requiredCount("input_length");
            event.setPromptTokens(promptTokens);
            event.setOutputTokens(fields.requiredCount("output_length"));
            JsonNode blocks = object.get("hash_ids");
            long blocksNeeded = (promptTokens + TOKENS_PER_BLOCK - 1) / TOKENS_PER_BLOCK;
            if (blocks != null && blocks.isArray() && blocks.size() != blocksNeeded) {
                rows.mark(event, Mark.HASH_IDS_MISMATCH);
            }
            if (blocks != null && blocks.isArray()) {
                rows.prefixBlocks(event, blocks(blocks));
            }
            long arrival = clock.arrival(fields.requiredMicros("timestamp", unitMicros), fields.where());
            count++;
            first = Math.min(first, arrival);
            last = Math.max(last, arrival);
            rows.add(event, row, arrival, null);
        }

        private static int[] blocks(JsonNode ids) {
            int[] blocks = new int[ids.size()];
            for (int i = 0; i < blocks.length; i++) {
                blocks[i] = ids.get(i).asInt();
            }
            return blocks;
        }
    }
}
