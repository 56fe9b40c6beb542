package io.inferwatch.jobs.window;

import io.inferwatch.jobs.ingest.MetricValue;
import io.inferwatch.jobs.ingest.RequestRow;
import io.inferwatch.jobs.ingest.SampleFields;
import io.inferwatch.schemas.EngineHistogram;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.OperatorMetric;
import io.inferwatch.schemas.catalogue.DerivedValue;
import io.inferwatch.schemas.catalogue.GroupingDimension;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.View;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/** How samples of one kind are read into windows: which fields, for which metrics and views. */
final class SampleLayout {
    private static final long MILLION = 1_000_000;

    private final MetricLayout metrics;
    private final List<View> views;
    private final List<Value> sums;
    private final List<Value> quantiles;
    private final List<Value> gauges;

    /** Where a metric's value stands in a sample. */
    private sealed interface Value {
        /** The number, or {@link RequestRow#ABSENT}. */
        long number(SpecificRecord sample);

        /** The place of the field, where it is one. */
        record Field(int place) implements Value {
            @Override
            public long number(SpecificRecord sample) {
                return sample.get(place) instanceof Number number ? number.longValue() : RequestRow.ABSENT;
            }
        }

        /** A field less another, which counts as 0 when it is absent. */
        record Difference(Field whole, Field part) implements Value {
            @Override
            public long number(SpecificRecord sample) {
                long number = whole.number(sample);
                long less = part.number(sample);
                return number == RequestRow.ABSENT || less == RequestRow.ABSENT ? number : number - less;
            }
        }

        /** Fields' share of another, at most 1, in millionths; there where all are. */
        record Share(List<Field> parts, Field whole) implements Value {
            @Override
            public long number(SpecificRecord sample) {
                long part = 0;
                for (Field field : parts) {
                    long number = field.number(sample);
                    if (number == RequestRow.ABSENT) {
                        return number;
                    }
                    part += number;
                }
                long of = whole.number(sample);
                return of == RequestRow.ABSENT ? of : Math.min(MILLION, part * MILLION / Math.max(1, of));
            }
        }

        /** What follows from several fields. */
        record Derived(DerivedValue value) implements Value {
            @Override
            public long number(SpecificRecord sample) {
                return MemoryShares.number(value, sample);
            }
        }

        /** What operators report under a name, in stored units. */
        record Reported(String name, double scale) implements Value {
            @Override
            public long number(SpecificRecord sample) {
                return sample instanceof OperatorMetric operator
                                && operator.getName().equals(name)
                        ? Math.round(operator.getValue() / scale)
                        : RequestRow.ABSENT;
            }
        }

        /** A value that counts only where another field is known. */
        record Where(Value value, int place) implements Value {
            @Override
            public long number(SpecificRecord sample) {
                return sample.get(place) == null ? RequestRow.ABSENT : value.number(sample);
            }
        }

        static Value of(Metric metric) {
            Value value = unconditional(metric);
            return metric.when()
                    .<Value>map(field -> new Where(
                            value,
                            SampleFields.schema(metric.of()).getField(field).pos()))
                    .orElse(value);
        }

        private static Value unconditional(Metric metric) {
            if (metric.of() == Metric.Origin.OPERATORS) {
                return new Reported(metric.value(), metric.unit().scale());
            }
            Schema schema = SampleFields.schema(metric.of());
            MetricValue value = MetricValue.parse(metric.value());
            if (value instanceof MetricValue.Share share) {
                return new Share(
                        share.parts().stream().map(part -> field(schema, part)).toList(), field(schema, share.whole()));
            }
            if (value instanceof MetricValue.Derived derived) {
                return new Derived(derived.value());
            }
            return value instanceof MetricValue.Difference difference
                    ? new Difference(field(schema, difference.minuend()), field(schema, difference.subtrahend()))
                    : field(schema, metric.value());
        }

        private static Field field(Schema schema, String name) {
            return new Field(schema.getField(name).pos());
        }
    }

    /** What a number field is to a window. */
    interface NumberUse {
        void take(int metric, long number);
    }

    SampleLayout(MetricCatalogue catalogue, Metric.Origin kind) {
        this.metrics = MetricLayout.of(catalogue, kind);
        this.views =
                catalogue.views().stream().filter(view -> view.of() == kind).toList();
        this.sums = metrics.sums().stream().map(Value::of).toList();
        this.quantiles = metrics.quantiles().stream().map(Value::of).toList();
        this.gauges = metrics.gauges().stream().map(Value::of).toList();
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
        for (int i = 0; i < sums.size(); i++) {
            long number = isCounter(i) ? RequestRow.ABSENT : sums.get(i).number(sample);
            if (number != RequestRow.ABSENT) {
                content.addToSum(i, number);
            }
        }
        for (int i = 0; i < quantiles.size(); i++) {
            Value value = quantiles.get(i);
            if (value instanceof Value.Field field && sample.get(field.place) instanceof ByteBuffer bytes) {
                content.mergeSketch(i, SampleFields.sketch(bytes));
                continue;
            }
            long number = value.number(sample);
            if (number != RequestRow.ABSENT) {
                content.addToSketch(i, number, 1);
            }
        }
    }

    private boolean isCounter(int sum) {
        return metrics.sums().get(sum).kind() == Metric.Kind.COUNTER;
    }

    /** Hands on the gauges that a sample has. */
    void gauges(SpecificRecord sample, NumberUse use) {
        for (int i = 0; i < gauges.size(); i++) {
            long number = gauges.get(i).number(sample);
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
        for (int i = 0; i < sums.size(); i++) {
            long to = isCounter(i) ? sums.get(i).number(after) : RequestRow.ABSENT;
            if (to != RequestRow.ABSENT) {
                long from = before == null ? RequestRow.ABSENT : sums.get(i).number(before);
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
        for (int i = 0; i < sums.size(); i++) {
            if (!isCounter(i)) {
                continue;
            }
            if (sums.get(i) instanceof Value.Field field) {
                carry(field, before, after);
            } else if (sums.get(i) instanceof Value.Difference difference) {
                carry(difference.whole, before, after);
                carry(difference.part, before, after);
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

    private static void carry(Value.Field field, SpecificRecord before, SpecificRecord after) {
        if (after.get(field.place) == null) {
            after.put(field.place, before.get(field.place));
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

    /** The view's values of a sample, in its order: of a list, each of its entries: for so many series it counts. */
    static List<String[]> values(View view, SpecificRecord sample) {
        List<String[]> all = List.<String[]>of(new String[view.by().size()]);
        for (int i = 0; i < view.by().size(); i++) {
            List<String[]> longer = new ArrayList<>();
            for (String value : values(view.by().get(i), sample)) {
                for (String[] begun : all) {
                    String[] more = begun.clone();
                    more[i] = value;
                    longer.add(more);
                }
            }
            all = longer;
        }
        return all;
    }

    private static List<String> values(GroupingDimension dimension, SpecificRecord sample) {
        if (dimension instanceof GroupingDimension.Values values) {
            return SampleFields.texts(sample, values.field(), GroupingDimension.NONE);
        } else if (dimension instanceof GroupingDimension.Buckets buckets) {
            return List.of(bucket(buckets, sample));
        }
        GroupingDimension.Product product = (GroupingDimension.Product) dimension;
        return List.of(bucket(product.first(), sample) + "." + bucket(product.second(), sample));
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
}
