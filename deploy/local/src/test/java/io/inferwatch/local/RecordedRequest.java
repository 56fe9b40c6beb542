package io.inferwatch.local;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** One row of the committed trace, read here by plain splitting at commas and decimal arithmetic, apart from what the product does. */
record RecordedRequest(
        long row,
        String model,
        long promptTokens,
        long outputTokens,
        long sharedBlocks,
        @Nullable Long e2eMicros,
        @Nullable Long ttftMicros) {
    static final String RESOURCE = "agentic-coding-requests.csv.gz";

    static List<RecordedRequest> readAll() {
        try (InputStream file = RecordedRequest.class.getResourceAsStream(RESOURCE);
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(new GZIPInputStream(file), StandardCharsets.UTF_8))) {
            List<String> header = Arrays.asList(lines.readLine().split(",", -1));
            Map<String, Integer> column = new HashMap<>();
            header.forEach(name -> column.put(name, column.size()));
            List<RecordedRequest> requests = new ArrayList<>();
            String line = lines.readLine();
            while (line != null) {
                String[] cells = line.split(",", -1);
                requests.add(new RecordedRequest(
                        requests.size() + 1L,
                        cells[column.get("model")],
                        Long.parseLong(cells[column.get("input_tokens")]),
                        Long.parseLong(cells[column.get("output_tokens")]),
                        Long.parseLong(cells[column.get("shared_prefix_blocks_prev")]),
                        micros(cells[column.get("api_time_s")]),
                        micros(cells[column.get("ttft_s")])));
                line = lines.readLine();
            }
            return requests;
        } catch (IOException e) {
            throw new IllegalStateException(RESOURCE + " cannot be read", e);
        }
    }

    /** Tokens that the cache can have served: blocks of 64 shared with the request before, never more than the prompt. */
    long cachedTokens() {
        return Math.min(promptTokens, 64 * sharedBlocks);
    }

    /** Nanoseconds per output token after the first; null where it is not defined. */
    @Nullable
    Long tpotNanos() {
        if (ttftMicros == null || e2eMicros == null || outputTokens < 2) {
            return null;
        }
        return Math.round((e2eMicros - ttftMicros) * 1000.0 / (outputTokens - 1));
    }

    private static @Nullable Long micros(String seconds) {
        return seconds.isEmpty()
                ? null
                : new BigDecimal(seconds).movePointRight(6).longValueExact();
    }
}
