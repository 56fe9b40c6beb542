package io.inferwatch.probes.load;

import io.inferwatch.probes.proxy.measure.ChunkListener;
import java.util.Arrays;

/** When the chunks of one answer came, in microseconds from its request's sending: four bytes a chunk, up to 35 minutes. */
final class ChunkTimes implements ChunkListener {
    private static final long NANOS_PER_MICRO = 1_000;

    private final long sentNanos;
    private int[] micros = new int[16];
    private int count;

    ChunkTimes(long sentNanos) {
        this.sentNanos = sentNanos;
    }

    @Override
    public void chunk(long atNanos) {
        if (count == micros.length) {
            micros = Arrays.copyOf(micros, 2 * count);
        }
        micros[count++] = (int) Math.min(Integer.MAX_VALUE, (atNanos - sentNanos) / NANOS_PER_MICRO);
    }

    int[] micros() {
        return Arrays.copyOf(micros, count);
    }
}
