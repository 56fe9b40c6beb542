package io.inferwatch.jobs.device;

import io.inferwatch.schemas.GpuSample;
import org.jspecify.annotations.Nullable;

/**
 * How much of a link the device used, by the busier direction.
 *
 * @param ppm of what it carries one way; null where its use or its capacity is not known
 * @param known what is known of it
 */
record LinkUse(@Nullable Long ppm, Known known) {
    private static final double MILLION = 1e6;

    /** What is known of a link, from the most to the least. */
    enum Known {
        USE("known"),
        NO_CAPACITY("capacity unknown"),
        NOTHING("not read");

        private final String text;

        Known(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }

        /** What is known of a time of which parts are known so. */
        Known and(Known other) {
            return compareTo(other) <= 0 ? this : other;
        }
    }

    /** PCIe: by its totals where both samples have them, else by the speeds that the device tells. */
    static LinkUse ofPcie(@Nullable GpuSample before, GpuSample sample, long micros) {
        Double sent =
                speed(before == null ? null : before.getPcieSentBytesTotal(), sample.getPcieSentBytesTotal(), micros);
        Double received = speed(
                before == null ? null : before.getPcieReceivedBytesTotal(), sample.getPcieReceivedBytesTotal(), micros);
        return of(
                busier(
                        sent == null ? real(sample.getPcieSentBytesPerSecond()) : sent,
                        received == null ? real(sample.getPcieReceivedBytesPerSecond()) : received),
                sample.getPcieMaxBytesPerSecond());
    }

    /** NVLink: by its totals alone, of all links together. */
    static LinkUse ofNvlink(@Nullable GpuSample before, GpuSample sample, long micros) {
        return before == null
                ? of(null, null)
                : of(
                        busier(
                                speed(before.getNvlinkSentBytesTotal(), sample.getNvlinkSentBytesTotal(), micros),
                                speed(
                                        before.getNvlinkReceivedBytesTotal(),
                                        sample.getNvlinkReceivedBytesTotal(),
                                        micros)),
                        sample.getNvlinkMaxBytesPerSecond());
    }

    private static LinkUse of(@Nullable Double bytesPerSecond, @Nullable Long capacity) {
        if (bytesPerSecond == null) {
            return new LinkUse(null, Known.NOTHING);
        }
        return capacity == null || capacity == 0
                ? new LinkUse(null, Known.NO_CAPACITY)
                : new LinkUse(Math.round(bytesPerSecond / capacity * MILLION), Known.USE);
    }

    private static @Nullable Double busier(@Nullable Double one, @Nullable Double other) {
        return one == null ? other : other == null ? one : Double.valueOf(Math.max(one, other));
    }

    /** Bytes a second; null where one of the totals is not told, and where it fell, as it then began anew. */
    private static @Nullable Double speed(@Nullable Long before, @Nullable Long now, long micros) {
        return before == null || now == null || now < before ? null : Double.valueOf((now - before) * MILLION / micros);
    }

    private static @Nullable Double real(@Nullable Long number) {
        return number == null ? null : Double.valueOf(number);
    }
}
