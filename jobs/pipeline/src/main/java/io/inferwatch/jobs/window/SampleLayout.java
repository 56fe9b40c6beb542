package io.inferwatch.jobs.window;

import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.jobs.ingest.MetricValue;
import io.inferwatch.jobs.ingest.RequestRow;
import io.inferwatch.jobs.ingest.SampleFields;
import io.inferwatch.schemas.EngineHistogram;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.OperatorMetric;
import io.inferwatch.schemas.catalogue.GroupingDimension;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.View;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/** How samples of one kind are read into windows: which fields, for which metrics and views. */
final class SampleLayout {
    private final MetricLayout metrics;
    private final List<View> views;

    /** What a number field is to a window. */
    interface NumberUse {
        void take(int metric, long number);
    }

    SampleLayout(MetricCatalogue catalogue, Metric.Origin kind) {
        this.metrics = MetricLayout.of(catalogue, kind);
        this.views =
                catalogue.views().stream().filter(view -> view.of() == kind).toList();
    }

    MetricLayout metrics() {
        return metrics;
    }

    List<View> views() {
        return views;
    }

    /** Adds what a sample says by itself: readings, sums, distributions; its totals and histograms only say something beside the sample before. */
    void addReadings(SpecificRecord sample, long atMicros, WindowContent content) {
        content.countEvents(1);
        gauges(sample, (metric, number) -> content.addToGauge(metric, Gauge.of(number, atMicros)));
        for (int i = 0; i < metrics.sums().size(); i++) {
            Metric metric = metrics.sums().get(i);
            long number = metric.kind() == Metric.Kind.SUM ? number(sample, metric) : RequestRow.ABSENT;
            if (number != RequestRow.ABSENT) {
                content.addToSum(i, number);
            }
        }
        for (int i = 0; i < metrics.quantiles().size(); i++) {
            Metric metric = metrics.quantiles().get(i);
            if (metric.of() == Metric.Origin.OPERATORS) {
                long number = number(sample, metric);
                if (number != RequestRow.ABSENT) {
                    content.addToSketch(i, number, 1);
                }
            } else if (sample.get(sample.getSchema().getField(metric.value()).pos()) instanceof ByteBuffer bytes) {
                byte[] sketch = new byte[bytes.remaining()];
                bytes.duplicate().get(sketch);
                content.mergeSketch(i, SketchEncoding.decode(sketch));
            }
        }
    }

    /** Hands on the gauges that a sample has. */
    void gauges(SpecificRecord sample, NumberUse use) {
        for (int i = 0; i < metrics.gauges().size(); i++) {
            long number = number(sample, metrics.gauges().get(i));
            if (number != RequestRow.ABSENT) {
                use.take(i, number);
            }
        }
    }

    /**
     * Hands on by how much totals have grown. As a probe counts them from 0, one that was never told before has grown by all of it, and so has one that fell.
     *
     * @param before the sample before, with the totals that it had from earlier ones; null for a stream's first
     */
    void increases(@Nullable SpecificRecord before, SpecificRecord after, NumberUse use) {
        for (int i = 0; i < metrics.sums().size(); i++) {
            Metric metric = metrics.sums().get(i);
            long to = metric.kind() == Metric.Kind.COUNTER ? number(after, metric) : RequestRow.ABSENT;
            if (to != RequestRow.ABSENT) {
                long from = before == null ? RequestRow.ABSENT : number(before, metric);
                use.take(i, from == RequestRow.ABSENT || to < from ? to : to - from);
            }
        }
    }

    /** Adds what the engine's histograms have grown by; one that was never told with these buckets has grown by all of it. */
    void addHistograms(@Nullable SpecificRecord before, SpecificRecord after, WindowContent content) {
        if (after instanceof EngineSample engine) {
            for (EngineHistogram histogram : engine.getHistograms()) {
                int metric = metric(histogram.getSignal());
                if (metric >= 0) {
                    content.addToHistogram(
                            metric,
                            increase(
                                    before instanceof EngineSample former ? same(histogram, former) : null, histogram));
                }
            }
        }
    }

    /** Gives a sample the totals and histograms that it does not tell and the one before it did, so that what grows is never counted from 0 again. */
    void carryTotals(SpecificRecord before, SpecificRecord after) {
        for (Metric metric : metrics.sums()) {
            if (metric.kind() == Metric.Kind.COUNTER && number(after, metric) == RequestRow.ABSENT) {
                int field = after.getSchema().getField(metric.value()).pos();
                after.put(field, before.get(field));
            }
        }
        if (before instanceof EngineSample former && after instanceof EngineSample engine) {
            List<EngineHistogram> all = new ArrayList<>(engine.getHistograms());
            former.getHistograms().stream()
                    .filter(known -> same(known, engine) == null)
                    .forEach(all::add);
            engine.setHistograms(all);
        }
    }

    private static @Nullable EngineHistogram same(EngineHistogram histogram, EngineSample sample) {
        return sample.getHistograms().stream()
                .filter(known -> known.getSignal().equals(histogram.getSignal())
                        && known.getBasis().equals(histogram.getBasis())
                        && known.getBoundsMicros().equals(histogram.getBoundsMicros()))
                .findFirst()
                .orElse(null);
    }

    private int metric(String signal) {
        for (int i = 0; i < metrics.histograms().size(); i++) {
            if (metrics.histograms().get(i).value().equals(signal)) {
                return i;
            }
        }
        return -1;
    }

    private static BucketCounts increase(@Nullable EngineHistogram before, EngineHistogram after) {
        long[] counts = after.getTotals().stream().mapToLong(Long::longValue).toArray();
        boolean fell = before == null;
        for (int i = 0; before != null && i < counts.length; i++) {
            fell |= counts[i] < before.getTotals().get(i);
        }
        for (int i = 0; before != null && !fell && i < counts.length; i++) {
            counts[i] -= before.getTotals().get(i);
        }
        long sum = after.getSumTotalMicros() == null ? 0 : after.getSumTotalMicros();
        long sumBefore = before == null || fell || before.getSumTotalMicros() == null ? 0 : before.getSumTotalMicros();
        long[] bounds =
                after.getBoundsMicros().stream().mapToLong(Long::longValue).toArray();
        return new BucketCounts(bounds, counts, sum - sumBefore);
    }

    /** The view's values of a sample, in its order. */
    static String[] values(View view, SpecificRecord sample) {
        String[] values = new String[view.by().size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = value(view.by().get(i), sample);
        }
        return values;
    }

    private static String value(GroupingDimension dimension, SpecificRecord sample) {
        if (dimension instanceof GroupingDimension.Values values) {
            String text = SampleFields.text(sample, values.field());
            return text.isEmpty() ? GroupingDimension.NONE : text;
        } else if (dimension instanceof GroupingDimension.Buckets buckets) {
            return bucket(buckets, sample);
        }
        GroupingDimension.Product product = (GroupingDimension.Product) dimension;
        return bucket(product.first(), sample) + "." + bucket(product.second(), sample);
    }

    private static String bucket(GroupingDimension.Buckets buckets, SpecificRecord sample) {
        long number = SampleFields.number(sample, buckets.field());
        long whole = buckets.shareOf()
                .map(field -> SampleFields.number(sample, field))
                .orElse(100L);
        if (number == RequestRow.ABSENT || whole == RequestRow.ABSENT) {
            return GroupingDimension.NONE;
        }
        return buckets.label(buckets.shareOf().isEmpty() ? number : 100 * number / Math.max(1, whole));
    }

    private static long number(SpecificRecord sample, Metric metric) {
        if (sample instanceof OperatorMetric operator) {
            return operator.getName().equals(metric.value())
                    ? Math.round(operator.getValue() / metric.unit().scale())
                    : RequestRow.ABSENT;
        }
        MetricValue value = MetricValue.parse(metric.value());
        if (value instanceof MetricValue.Difference difference) {
            long whole = SampleFields.number(sample, difference.minuend());
            long part = SampleFields.number(sample, difference.subtrahend());
            return whole == RequestRow.ABSENT ? whole : whole - (part == RequestRow.ABSENT ? 0 : part);
        }
        return SampleFields.number(sample, metric.value());
    }
}
