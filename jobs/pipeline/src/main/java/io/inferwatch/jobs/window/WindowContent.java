package io.inferwatch.jobs.window;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one group of events: their number, sums, distributions and gauges. Merging is exact and does not depend on order.
 * Between operators and in state it is bytes: version 1; number of requests; then the counts of sums, sketches and gauges, each entry
 * with its metric's id (four bytes) and its values, signed numbers zigzagged, all LEB128.
 */
final class WindowContent {
    private static final int VERSION = 1;
    private static final long[] NO_LOG = {};
    private static final int FIRST_LOG = 32;
    private static final int MAX_LOG = 256;
    private static final int METRIC_BITS = 8;
    private static final long MAX_LOGGED = Long.MAX_VALUE >> METRIC_BITS;

    private final MetricLayout layout;
    private final long[] sums;
    private final @Nullable QuantileSketch[] sketches;
    private final @Nullable Gauge[] gauges;
    private long requests;

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
    }

    long requests() {
        return requests;
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

    boolean isEmpty() {
        if (requests > 0) {
            return false;
        }
        for (Gauge gauge : gauges) {
            if (gauge != null) {
                return false;
            }
        }
        return true;
    }

    void countRequests(long times) {
        requests += times;
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

    /** Adds the given sums, sketches and gauges of another content, and its requests. */
    void merge(WindowContent other, int[] sumNumbers, int[] sketchNumbers, int[] gaugeNumbers) {
        other.settle();
        requests += other.requests;
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
        out.number(requests);
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
            }
        }
        return out.toByteArray();
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

    /** Adds all of the encoded content that begins at an offset; the bytes must not be changed afterwards. */
    void mergeEncoded(byte[] bytes, int offset) {
        ByteBuffer in = ByteBuffer.wrap(bytes, offset, bytes.length - offset);
        int version = in.get();
        if (version != VERSION) {
            throw new IllegalStateException("window content: version must be " + VERSION + ", found " + version);
        }
        requests += number(in);
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
            Gauge gauge = new Gauge(number(in), signed(in), signed(in), signed(in), signed(in), signed(in));
            if (metric >= 0) {
                addToGauge(metric, gauge);
            }
        }
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

        void id(int id) {
            write(id >>> 24);
            write(id >>> 16);
            write(id >>> 8);
            write(id);
        }
    }
}
