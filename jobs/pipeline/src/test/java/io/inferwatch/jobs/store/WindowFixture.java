package io.inferwatch.jobs.store;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.MetricGauge;
import io.inferwatch.schemas.MetricHistogram;
import io.inferwatch.schemas.MetricSketch;
import io.inferwatch.schemas.MetricSum;
import io.inferwatch.schemas.WindowStat;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Windows for tests, put together by hand. */
final class WindowFixture {
    static final long MINUTE_MICROS = 60_000_000;

    private final List<Dimension> dimensions = new ArrayList<>();
    private final List<MetricSum> sums = new ArrayList<>();
    private final List<MetricSketch> sketches = new ArrayList<>();
    private final List<MetricGauge> gauges = new ArrayList<>();
    private final List<MetricHistogram> histograms = new ArrayList<>();
    private final String view;
    private final long windowMicros;
    private final long endMicros;
    private int revision;
    private long requests;

    WindowFixture(String view, long windowMicros, long endMicros) {
        this.view = view;
        this.windowMicros = windowMicros;
        this.endMicros = endMicros;
    }

    WindowFixture dimension(String name, String value) {
        dimensions.add(new Dimension(name, value));
        return this;
    }

    WindowFixture requests(long count) {
        requests = count;
        return sum("requests", count);
    }

    WindowFixture revision(int number) {
        revision = number;
        return this;
    }

    WindowFixture sum(String metric, long value) {
        sums.add(new MetricSum(metric, value));
        return this;
    }

    WindowFixture values(String metric, long... values) {
        QuantileSketch sketch = new QuantileSketch();
        for (long value : values) {
            sketch.add(value);
        }
        return sketch(metric, SketchEncoding.encode(sketch));
    }

    WindowFixture sketch(String metric, byte[] bytes) {
        sketches.add(new MetricSketch(metric, ByteBuffer.wrap(bytes)));
        return this;
    }

    WindowFixture gauge(String metric, long n, long sum, long min, long max, long last) {
        gauges.add(new MetricGauge(metric, n, sum, min, max, last, endMicros - 1, 0L, 0.0));
        return this;
    }

    /** Readings that held for a while. */
    WindowFixture held(String metric, long heldMicros, double heldSum) {
        gauges.add(new MetricGauge(metric, 0L, 0L, 0L, 0L, 0L, 0L, heldMicros, heldSum));
        return this;
    }

    WindowFixture histogram(String metric, List<Long> boundsMicros, List<Long> counts, long sumMicros) {
        histograms.add(new MetricHistogram(metric, boundsMicros, counts, sumMicros));
        return this;
    }

    /** Samples that fell into it. */
    WindowFixture samples(long count) {
        requests = count;
        return this;
    }

    WindowStat stat() {
        return new WindowStat(
                series(),
                view,
                dimensions,
                windowMicros,
                endMicros,
                revision,
                requests,
                sums,
                sketches,
                gauges,
                histograms);
    }

    String series() {
        StringBuilder series = new StringBuilder(view);
        dimensions.forEach(dimension -> series.append('/').append(dimension.getValue()));
        return series.toString();
    }

    /** The window as it lies in Kafka. */
    InboundRecord record(long offset) {
        return new InboundRecord(
                "inferwatch.windows",
                0,
                offset,
                endMicros / 1000,
                series().getBytes(StandardCharsets.UTF_8),
                new EventCodec().encode(stat()));
    }
}
