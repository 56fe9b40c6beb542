package io.inferwatch.jobs.device;

import io.inferwatch.analytics.bottleneck.Activity;
import io.inferwatch.analytics.bottleneck.BottleneckMatrix;
import io.inferwatch.analytics.bottleneck.BottleneckRule;
import io.inferwatch.analytics.bottleneck.Limit;
import io.inferwatch.analytics.bottleneck.Links;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.jobs.device.LinkUse.Known;
import io.inferwatch.schemas.GpuSample;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What held a device back within a minute. A sample speaks for the time since the one before it, for at most three of its intervals; after a
 * longer silence for one interval, as nobody knows what was before.
 */
final class DeviceMinute {
    private static final int MAX_INTERVALS = 3;
    private static final long UNTOLD_INTERVAL_MICROS = 1_000_000;

    private final BottleneckMatrix matrix;
    private Known pcie;
    private Known nvlink;
    private byte[] last;

    private DeviceMinute(BottleneckMatrix matrix, byte[] last, Known pcie, Known nvlink) {
        this.matrix = matrix;
        this.last = last;
        this.pcie = pcie;
        this.nvlink = nvlink;
    }

    static DeviceMinute empty() {
        return new DeviceMinute(new BottleneckMatrix(), new byte[0], Known.NOTHING, Known.NOTHING);
    }

    static DeviceMinute read(DataInputStream in) throws IOException {
        long[] micros = new long[Limit.values().length * Links.values().length];
        for (int i = 0; i < micros.length; i++) {
            // A minute has less of them than an int.
            micros[i] = in.readInt();
        }
        byte[] last = in.readNBytes(in.readInt());
        return new DeviceMinute(
                BottleneckMatrix.ofMicros(micros), last, Known.values()[in.readByte()], Known.values()[in.readByte()]);
    }

    void write(DataOutputStream out) throws IOException {
        for (long micros : matrix.toMicros()) {
            out.writeInt((int) Math.min(micros, Integer.MAX_VALUE));
        }
        out.writeInt(last.length);
        out.write(last);
        out.writeByte(pcie.ordinal());
        out.writeByte(nvlink.ordinal());
    }

    /** The minute's last sample, encoded. */
    byte[] last() {
        return last;
    }

    /**
     * Adds a sample beside the one before it.
     *
     * @param encoded the sample
     */
    void add(@Nullable GpuSample before, GpuSample sample, byte[] encoded) {
        last = encoded;
        long interval = sample.getIntervalMicros() > 0 ? sample.getIntervalMicros() : UNTOLD_INTERVAL_MICROS;
        long since = before == null ? Long.MAX_VALUE : sample.getSampledAtMicros() - before.getSampledAtMicros();
        boolean isSilence = since > MAX_INTERVALS * interval;
        long micros = Math.min(isSilence ? interval : since, MinuteFigures.MINUTE_MICROS);
        LinkUse byPcie = LinkUse.ofPcie(isSilence ? null : before, sample, micros);
        LinkUse byNvlink = LinkUse.ofNvlink(isSilence ? null : before, sample, micros);
        Map<String, Long> ages = sample.getAgesMicros();
        matrix.add(
                new Activity(
                        micros,
                        fresh(sample.getDramActivePpm(), ages.get("dramActivePpm"), micros),
                        fresh(sample.getTensorActivePpm(), ages.get("tensorActivePpm"), micros),
                        sample.getReadingsApartMicros(),
                        byPcie.ppm(),
                        byNvlink.ppm()),
                BottleneckRule.STANDARD);
        pcie = pcie.and(byPcie.known());
        nvlink = nvlink.and(byNvlink.known());
    }

    /** A reading that is older than the time it is to speak for is none. */
    private static @Nullable Long fresh(@Nullable Long reading, @Nullable Long ageMicros, long micros) {
        return ageMicros != null && ageMicros > micros ? null : reading;
    }

    MinuteFigures figures() {
        Limit most = Stream.of(Limit.values())
                .max(Comparator.comparingLong(matrix::micros))
                .orElseThrow();
        long bandwidthAndLink = Stream.of(Links.PCIE, Links.NVLINK, Links.PCIE_AND_NVLINK)
                .mapToLong(links -> matrix.micros(Limit.BANDWIDTH, links))
                .sum();
        long both = matrix.micros(Links.PCIE_AND_NVLINK);
        MinuteFigures figures = new MinuteFigures(Measurement.BOTTLENECK, DeviceFunction.VIEW)
                .text(Field.LIMIT, most.name().toLowerCase(Locale.ROOT))
                .value(Field.OBSERVED_SECONDS, matrix.micros() / 1e6)
                .value(Field.BANDWIDTH_BOUND, matrix.share(Limit.BANDWIDTH))
                .value(Field.COMPUTE_BOUND, matrix.share(Limit.COMPUTE))
                .value(Field.UNDERUSED, matrix.share(Limit.UNDERUSED))
                .value(Field.BALANCED, matrix.share(Limit.BALANCED))
                .value(Field.UNKNOWN, matrix.share(Limit.UNKNOWN))
                .value(Field.LINKS_UNKNOWN, matrix.share(Links.UNKNOWN))
                .value(Field.BANDWIDTH_AND_LINK, (double) bandwidthAndLink / matrix.micros())
                .text(Field.PCIE, pcie.text())
                .text(Field.NVLINK, nvlink.text());
        if (pcie == Known.USE) {
            figures.value(Field.PCIE_SATURATED, (double) (matrix.micros(Links.PCIE) + both) / matrix.micros());
        }
        if (nvlink == Known.USE) {
            figures.value(Field.NVLINK_SATURATED, (double) (matrix.micros(Links.NVLINK) + both) / matrix.micros());
        }
        return figures;
    }
}
