package io.inferwatch.probes.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BackoffTest {
    private long nanos = Long.MAX_VALUE - 5;
    private final Backoff backoff = new Backoff(() -> nanos, Duration.ofSeconds(10));

    @Test
    void pausesDoubleUpToFiveMinutesAndBeginAnewAfterSuccess() {
        List<Long> pauses = new ArrayList<>();
        for (int failure = 0; failure < 8; failure++) {
            pauses.add(pause());
        }
        assertThat(pauses).containsExactly(10L, 20L, 40L, 80L, 160L, 300L, 300L, 300L);
        backoff.succeeded();
        assertThat(backoff.isDue()).isTrue();
        assertThat(pause()).isEqualTo(10);
    }

    private long pause() {
        backoff.failed();
        long seconds = 0;
        while (!backoff.isDue()) {
            nanos += TimeUnit.SECONDS.toNanos(1);
            seconds++;
        }
        return seconds;
    }
}
