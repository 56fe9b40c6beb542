package io.inferwatch.jobs.window;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.View;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one group of events: their number, sums, distributions, gauges and engines' histograms. Merging is exact and does not depend on order (but
 * for the last digits of gauges' means over time).
 * Between operators and in state it is bytes: version 2; number of events; then the counts of sums, sketches, gauges and histograms, each entry
 * with its metric's id (four bytes) and its values, signed numbers zigzagged, all LEB128. Version 1 had neither histograms nor times for which gauges held.
 */
final class WindowContent {
    private static final int VERSION = 2;
    private static final long[] NO_LOG = {};
    private static final int FIRST_LOG = 32;
    private static final int MAX_LOG = 256;
    private static final int METRIC_BITS = 8;
    private static final long MAX_LOGGED = Long.MAX_VALUE >> METRIC_BITS;

    private final MetricLayout layout;
    private final long[] sums;
    private final @Nullable QuantileSketch[] sketches;
    private final @Nullable Gauge[] gauges;
    private final @Nullable BucketCounts[] histograms;
    private long events;

    /** Sketches that came as bytes and are bytes still, since nothing was added to them: never one that is in sketches too. */
    private final @Nullable EncodedSketch[] encoded;

    /**
     * Values that are still to be added to their sketches, each with its metric's number in the lowest bits. An event brings a value for each of a dozen sketches, and
     * the next event one for those of another cell: written down one after the other they cost one cache line an event instead of dozens.
     */
    private long[] log = NO_LOG;

    private int logged;

    private record EncodedSketch(byte[] bytes, int offset, int length) {
        QuantileSketch decode() {
            return SketchEncoding.decode(bytes, offset, length);
        }
    }

    WindowContent(MetricLayout layout) {
        this.layout = layout;
        this.sums = new long[layout.sums().size()];
        this.sketches = new QuantileSketch[layout.quantiles().size()];
        this.encoded = new EncodedSketch[sketches.length];
        this.gauges = new Gauge[layout.gauges().size()];
        this.histograms = new BucketCounts[layout.histograms().size()];
    }

    long events() {
        return events;
    }

    long sum(int metric) {
        return sums[metric];
    }

    @Nullable
    QuantileSketch sketch(int metric) {
        settle();
        return encoded[metric] == null ? sketches[metric] : own(metric);
    }

    /** The bytes of a metric's sketch; not to be written to. */
    @Nullable
    ByteBuffer encodedSketch(int metric) {
        settle();
        EncodedSketch bytes = encoded[metric];
        if (bytes != null) {
            return ByteBuffer.wrap(bytes.bytes, bytes.offset, bytes.length).slice();
        }
        QuantileSketch sketch = sketches[metric];
        return sketch == null ? null : ByteBuffer.wrap(SketchEncoding.encode(sketch));
    }

    @Nullable
    Gauge gauge(int metric) {
        return gauges[metric];
    }

    @Nullable
    BucketCounts histogram(int metric) {
        return histograms[metric];
    }

    boolean isEmpty() {
        return events == 0
                && Arrays.stream(sums).allMatch(sum -> sum == 0)
                && Arrays.stream(gauges).allMatch(Objects::isNull)
                && Arrays.stream(histograms).allMatch(Objects::isNull);
    }

    void countEvents(long times) {
        events += times;
    }

    void addToSum(int metric, long value) {
        sums[metric] += value;
    }

    void addToSketch(int metric, long value, long times) {
        if (times != 1 || value < 0 || value > MAX_LOGGED || metric >= 1 << METRIC_BITS) {
            own(metric).add(value, times);
            return;
        }
        if (logged == log.length) {
            makeRoom();
        }
        log[logged++] = (value << METRIC_BITS) | metric;
    }

    private void makeRoom() {
        if (logged < MAX_LOG) {
            log = Arrays.copyOf(log, Math.max(FIRST_LOG, 2 * logged));
        } else {
            settle();
        }
    }

    private void settle() {
        for (int i = 0; i < logged; i++) {
            own((int) log[i] & ((1 << METRIC_BITS) - 1)).add(log[i] >> METRIC_BITS);
        }
        logged = 0;
    }

    private QuantileSketch own(int metric) {
        QuantileSketch sketch = sketches[metric];
        if (sketch == null) {
            EncodedSketch bytes = encoded[metric];
            encoded[metric] = null;
            sketch = bytes == null ? new QuantileSketch() : bytes.decode();
            sketches[metric] = sketch;
        }
        return sketch;
    }

    void mergeSketch(int metric, QuantileSketch other) {
        own(metric).merge(other);
    }

    void addToGauge(int metric, Gauge reading) {
        Gauge gauge = gauges[metric];
        gauges[metric] = gauge == null ? reading : gauge.merge(reading);
    }

    void addToHistogram(int metric, BucketCounts counts) {
        BucketCounts present = histograms[metric];
        histograms[metric] = present == null ? counts : present.merge(counts);
    }

    /** The part that a view keeps. */
    WindowContent onlyOf(View view) {
        WindowContent part = new WindowContent(layout);
        part.merge(this, kept(view, layout.sums()), kept(view, layout.quantiles()), kept(view, layout.gauges()));
        for (int i : kept(view, layout.histograms())) {
            part.histograms[i] = histograms[i];
        }
        return part;
    }

    private static int[] kept(View view, List<Metric> metrics) {
        return IntStream.range(0, metrics.size())
                .filter(i -> view.keeps(metrics.get(i)))
                .toArray();
    }

    /** Adds the given sums, sketches and gauges of another content, and its events. */
    void merge(WindowContent other, int[] sumNumbers, int[] sketchNumbers, int[] gaugeNumbers) {
        other.settle();
        events += other.events;
        for (int i : sumNumbers) {
            sums[i] += other.sums[i];
        }
        for (int i : sketchNumbers) {
            QuantileSketch sketch = other.sketch(i);
            if (sketch != null) {
                mergeSketch(i, sketch);
            }
        }
        for (int i : gaugeNumbers) {
            Gauge gauge = other.gauges[i];
            if (gauge != null) {
                addToGauge(i, gauge);
            }
        }
    }

    byte[] encode() {
        settle();
        Out out = new Out();
        out.write(VERSION);
        out.number(events);
        int present = 0;
        for (long sum : sums) {
            present += sum != 0 ? 1 : 0;
        }
        out.number(present);
        for (int i = 0; i < sums.length; i++) {
            if (sums[i] != 0) {
                out.id(MetricLayout.id(layout.sums().get(i)));
                out.signed(sums[i]);
            }
        }
        present = 0;
        for (int i = 0; i < sketches.length; i++) {
            present += sketches[i] != null || encoded[i] != null ? 1 : 0;
        }
        out.number(present);
        for (int i = 0; i < sketches.length; i++) {
            ByteBuffer bytes = encodedSketch(i);
            if (bytes != null) {
                out.id(MetricLayout.id(layout.quantiles().get(i)));
                out.number(bytes.remaining());
                out.write(bytes.array(), bytes.arrayOffset(), bytes.remaining());
            }
        }
        present = 0;
        for (Gauge gauge : gauges) {
            present += gauge != null ? 1 : 0;
        }
        out.number(present);
        for (int i = 0; i < gauges.length; i++) {
            Gauge gauge = gauges[i];
            if (gauge != null) {
                out.id(MetricLayout.id(layout.gauges().get(i)));
                out.number(gauge.n());
                out.signed(gauge.sum());
                out.signed(gauge.min());
                out.signed(gauge.max());
                out.signed(gauge.last());
                out.signed(gauge.lastAtMicros());
                out.number(gauge.heldMicros());
                if (gauge.heldMicros() > 0) {
                    out.real(gauge.heldSum());
                }
            }
        }
        encodeHistograms(out);
        return out.toByteArray();
    }

    private void encodeHistograms(Out out) {
        out.number(Arrays.stream(histograms).filter(Objects::nonNull).count());
        for (int i = 0; i < histograms.length; i++) {
            BucketCounts histogram = histograms[i];
            if (histogram != null) {
                out.id(MetricLayout.id(layout.histograms().get(i)));
                out.number(histogram.boundsMicros().length);
                for (long bound : histogram.boundsMicros()) {
                    out.signed(bound);
                }
                for (long count : histogram.counts()) {
                    out.number(count);
                }
                out.signed(histogram.sumMicros());
            }
        }
    }

    /** The content that the bytes hold; metrics that the layout no longer has are left out. */
    static WindowContent decode(MetricLayout layout, byte[] bytes) {
        return decode(layout, bytes, 0);
    }

    /** The content that the bytes from an offset on hold; metrics that the layout no longer has are left out. */
    static WindowContent decode(MetricLayout layout, byte[] bytes, int offset) {
        WindowContent content = new WindowContent(layout);
        content.mergeEncoded(bytes, offset);
        return content;
    }

    /** The number of events that encoded content holds, without decoding the rest. */
    static long events(byte[] bytes) {
        return number(ByteBuffer.wrap(bytes, 1, bytes.length - 1));
    }

    /** Adds all of the encoded content that begins at an offset; the bytes must not be changed afterwards. */
    void mergeEncoded(byte[] bytes, int offset) {
        ByteBuffer in = ByteBuffer.wrap(bytes, offset, bytes.length - offset);
        int version = in.get();
        if (version < 1 || version > VERSION) {
            throw new IllegalStateException("window content: version must be 1 or " + VERSION + ", found " + version);
        }
        events += number(in);
        for (long left = number(in); left > 0; left--) {
            int metric = layout.sum(in.getInt());
            long value = signed(in);
            if (metric >= 0) {
                sums[metric] += value;
            }
        }
        for (long left = number(in); left > 0; left--) {
            int metric = layout.quantile(in.getInt());
            int length = (int) number(in);
            if (metric >= 0) {
                EncodedSketch sketch = new EncodedSketch(bytes, in.position(), length);
                if (sketches[metric] == null && encoded[metric] == null) {
                    encoded[metric] = sketch;
                } else {
                    own(metric).merge(sketch.decode());
                }
            }
            in.position(in.position() + length);
        }
        for (long left = number(in); left > 0; left--) {
            int metric = layout.gauge(in.getInt());
            Gauge gauge = gauge(in, version);
            if (metric >= 0) {
                addToGauge(metric, gauge);
            }
        }
        for (long left = version < 2 ? 0 : number(in); left > 0; left--) {
            int metric = layout.histogram(in.getInt());
            BucketCounts counts = histogram(in);
            if (metric >= 0) {
                addToHistogram(metric, counts);
            }
        }
    }

    private static Gauge gauge(ByteBuffer in, int version) {
        long n = number(in);
        long sum = signed(in);
        long min = signed(in);
        long max = signed(in);
        long last = signed(in);
        long lastAtMicros = signed(in);
        long heldMicros = version < 2 ? 0 : number(in);
        return new Gauge(n, sum, min, max, last, lastAtMicros, heldMicros, heldMicros == 0 ? 0 : in.getDouble());
    }

    private static BucketCounts histogram(ByteBuffer in) {
        long[] bounds = new long[(int) number(in)];
        for (int i = 0; i < bounds.length; i++) {
            bounds[i] = signed(in);
        }
        long[] counts = new long[bounds.length + 1];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = number(in);
        }
        return new BucketCounts(bounds, counts, signed(in));
    }

    private static long number(ByteBuffer in) {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            byte next = in.get();
            value |= (next & 0x7FL) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new IllegalStateException("window content: a number is longer than 64 bits");
    }

    private static long signed(ByteBuffer in) {
        long zigzag = number(in);
        return (zigzag >>> 1) ^ -(zigzag & 1);
    }

    private static final class Out extends ByteArrayOutputStream {
        Out() {
            super(512);
        }

        void number(long value) {
            long rest = value;
            while ((rest & ~0x7FL) != 0) {
                write((int) (rest | 0x80));
                rest >>>= 7;
            }
            write((int) rest);
        }

        void signed(long value) {
            number((value << 1) ^ (value >> 63));
        }

        void real(double value) {
            long bits = Double.doubleToRawLongBits(value);
            id((int) (bits >>> 32));
            id((int) bits);
        }

        void id(int id) {
            write(id >>> 24);
            write(id >>> 16);
            write(id >>> 8);
            write(id);
        }
    }
}
