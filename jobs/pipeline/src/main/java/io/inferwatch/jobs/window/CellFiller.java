package io.inferwatch.jobs.window;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.jobs.ingest.EventLayout;
import io.inferwatch.jobs.ingest.MetricValue;
import io.inferwatch.jobs.ingest.RequestRow;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Adds a row's values to the content of its cell, as the catalogue's metrics say. A sampled event counts as often as its weight. */
final class CellFiller {

    /** A sum over a field, less another one where there is one. */
    private record FieldSum(int metric, int slot, int lessSlot, boolean[] counted) {}

    /**
     * A distribution of a number field, of its share of another one, or of the sum of both; where there is a field to be known, of requests that
     * have it.
     */
    private record Distribution(int metric, int slot, int wholeSlot, int addedSlot, Presence when, boolean[] counted) {
        /** The value, whose field is there; absent where it does not count. */
        long value(RequestRow row, long part) {
            if (when.isMissing(row)) {
                return RequestRow.ABSENT;
            }
            if (addedSlot >= 0) {
                long added = row.number(addedSlot);
                return added == RequestRow.ABSENT ? RequestRow.ABSENT : part + added;
            }
            if (wholeSlot < 0) {
                return part;
            }
            long whole = row.number(wholeSlot);
            if (whole == RequestRow.ABSENT) {
                return RequestRow.ABSENT;
            }
            long atLeastOne = Math.max(1, whole);
            return (long) (MILLION * Math.min(part, atLeastOne) / atLeastOne);
        }
    }

    /** A distribution that events bring as a sketch. */
    private record SketchField(int metric, int slot, boolean[] counted) {}

    /** A limit: its own where the request brings one, else the one that was set. */
    private record Limit(int valueSlot, int ownSlot, long set) {
        static Limit of(EventLayout events, String field, String ownField, long set) {
            return new Limit(events.number(field), events.number(ownField), set);
        }

        boolean holds(RequestRow row) {
            long own = row.number(ownSlot);
            long limit = own == RequestRow.ABSENT ? set : own;
            if (limit == RequestRow.ABSENT) {
                return true;
            }
            long value = row.number(valueSlot);
            return value != RequestRow.ABSENT && value <= limit;
        }
    }

    private static final double MILLION = 1e6;

    private final int outcomeSlot;
    private final int weightSlot;
    private final int positionSlot;
    private final int[][] countsByOutcome;
    private final int[] goodSums;
    private final Limit[] limits;
    private final FieldSum[] fieldSums;
    private final Distribution[] distributions;
    private final SketchField[] sketchFields;
    private final int[] gaugeSlots;

    CellFiller(MetricCatalogue catalogue, EventLayout events, MetricLayout metrics, Goodput goodput) {
        outcomeSlot = events.number("outcome");
        weightSlot = events.number("sampleWeight");
        positionSlot = events.number("eventTimeMicros");
        limits = new Limit[] {
            Limit.of(events, "ttftMicros", "sloTtftMicros", micros(goodput.ttft())),
            Limit.of(events, "tpotNanos", "sloTpotNanos", nanos(goodput.tpot())),
            Limit.of(events, "e2eMicros", "sloE2eMicros", micros(goodput.e2e()))
        };
        List<List<Integer>> counts = new ArrayList<>();
        for (int i = 0; i < Outcome.values().length; i++) {
            counts.add(new ArrayList<>());
        }
        List<Integer> good = new ArrayList<>();
        List<FieldSum> sums = new ArrayList<>();
        for (int i = 0; i < metrics.sums().size(); i++) {
            Metric metric = metrics.sums().get(i);
            boolean[] counted = counted(metric);
            MetricValue value = MetricValue.parse(metric.value());
            if (value instanceof MetricValue.One) {
                for (int outcome = 0; outcome < counted.length; outcome++) {
                    if (counted[outcome]) {
                        counts.get(outcome).add(i);
                    }
                }
            } else if (value instanceof MetricValue.Good) {
                good.add(i);
            } else if (value instanceof MetricValue.Field field) {
                sums.add(new FieldSum(i, events.number(field.name()), -1, counted));
            } else if (value instanceof MetricValue.Difference difference) {
                sums.add(new FieldSum(
                        i, events.number(difference.minuend()), events.number(difference.subtrahend()), counted));
            }
        }
        countsByOutcome = counts.stream().map(CellFiller::ints).toArray(int[][]::new);
        goodSums = ints(good);
        fieldSums = sums.toArray(FieldSum[]::new);

        List<Distribution> values = new ArrayList<>();
        List<SketchField> sketches = new ArrayList<>();
        for (int i = 0; i < metrics.quantiles().size(); i++) {
            Metric metric = metrics.quantiles().get(i);
            int bytesSlot = events.bytes(metric.value());
            if (bytesSlot >= 0) {
                sketches.add(new SketchField(i, bytesSlot, counted(metric)));
            } else {
                MetricValue value = MetricValue.parse(metric.value());
                MetricValue.Share share = value instanceof MetricValue.Share shared ? shared : null;
                MetricValue.Sum sum = value instanceof MetricValue.Sum added ? added : null;
                values.add(new Distribution(
                        i,
                        events.number(MetricValue.fields(metric.value()).get(0)),
                        share == null ? -1 : events.number(share.whole()),
                        sum == null ? -1 : events.number(sum.second()),
                        Presence.of(metric.when(), events),
                        counted(metric)));
            }
        }
        distributions = values.toArray(Distribution[]::new);
        sketchFields = sketches.toArray(SketchField[]::new);
        gaugeSlots = metrics.gauges().stream()
                .mapToInt(gauge -> events.number(gauge.value()))
                .toArray();
    }

    /** Adds a request. */
    void addRequest(RequestRow row, WindowContent content) {
        int outcome = (int) row.number(outcomeSlot);
        long weight = row.number(weightSlot);
        if (weight == RequestRow.ABSENT) {
            weight = 1;
        }
        content.countEvents(weight);
        for (int metric : countsByOutcome[outcome]) {
            content.addToSum(metric, weight);
        }
        if (isComplete(outcome) && limits[0].holds(row) && limits[1].holds(row) && limits[2].holds(row)) {
            for (int metric : goodSums) {
                content.addToSum(metric, weight);
            }
        }
        for (FieldSum sum : fieldSums) {
            long value = row.number(sum.slot);
            if (value != RequestRow.ABSENT && sum.counted[outcome]) {
                long less = sum.lessSlot < 0 ? 0 : row.number(sum.lessSlot);
                content.addToSum(sum.metric, weight * (value - (less == RequestRow.ABSENT ? 0 : less)));
            }
        }
        for (Distribution distribution : distributions) {
            long value = row.number(distribution.slot);
            if (value == RequestRow.ABSENT || !distribution.counted[outcome]) {
                continue;
            }
            long counted = distribution.value(row, value);
            if (counted != RequestRow.ABSENT) {
                content.addToSketch(distribution.metric, counted, weight);
            }
        }
        for (SketchField field : sketchFields) {
            QuantileSketch sketch = row.sketch(field.slot);
            if (sketch != null && field.counted[outcome]) {
                for (long times = weight; times > 0; times--) {
                    content.mergeSketch(field.metric, sketch);
                }
            }
        }
    }

    /** Adds a heartbeat's readings. */
    void addHeartbeat(RequestRow row, WindowContent content) {
        for (int gauge = 0; gauge < gaugeSlots.length; gauge++) {
            long reading = row.number(gaugeSlots[gauge]);
            if (reading != RequestRow.ABSENT) {
                content.addToGauge(gauge, Gauge.of(reading, row.number(positionSlot)));
            }
        }
    }

    private static boolean isComplete(int outcome) {
        return outcome == Outcome.OK.ordinal() || outcome == Outcome.LENGTH.ordinal();
    }

    private static boolean[] counted(Metric metric) {
        boolean[] counted = new boolean[Outcome.values().length];
        for (Outcome outcome : Outcome.values()) {
            counted[outcome.ordinal()] =
                    metric.outcomes().isEmpty() || metric.outcomes().contains(outcome);
        }
        return counted;
    }

    private static long micros(@Nullable Duration duration) {
        return duration == null ? RequestRow.ABSENT : duration.toNanos() / 1000;
    }

    private static long nanos(@Nullable Duration duration) {
        return duration == null ? RequestRow.ABSENT : duration.toNanos();
    }

    private static int[] ints(List<Integer> list) {
        return list.stream().mapToInt(Integer::intValue).toArray();
    }
}
