package io.inferwatch.local.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LiveTraceTest {
    private static final int ROWS = 5_985;

    @Test
    void theTraceIsPlayedAsRecordedAndThenFromItsBeginning(@TempDir Path directory) {
        LiveTrace trace = LiveTrace.shipped(directory);

        assertThat(trace.row(0)).isEqualTo(new LiveTrace.Row(0, 0, 374, 11));
        // 18:15:50.9951690 after 18:15:46.6805900, eight times as fast; a quarter of 109 tokens.
        assertThat(trace.row(1)).isEqualTo(new LiveTrace.Row(1, 539_322_375L, 396, 27));
        LiveTrace.Row last = trace.row(ROWS - 1);
        assertThat(last.afterNanos()).isBetween(149_875_000_000L, 150_000_000_000L);
        LiveTrace.Row again = trace.row(ROWS + 1);
        assertThat(again)
                .isEqualTo(new LiveTrace.Row(ROWS + 1, last.afterNanos() + 1_000_000_000L + 539_322_375L, 396, 27));
    }
}
