package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.cause.Incident;
import io.inferwatch.analytics.cause.Signal;
import io.inferwatch.analytics.cause.StageShares;
import io.inferwatch.analytics.cause.StageShares.Bucket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the minutes of a subject and of the fleet say of an incident: which stages its latency rose in, which readings departed and when, which versions are new, and where bad
 * requests are more frequent than requests.
 *
 * @param subject whose incident it is
 * @param breach number of the minute in which it began
 * @param last number of the last minute that is known
 */
record IncidentReader(SubjectHistory history, String subject, long breach, long last) {
    /** Quiet minutes that must be known before an incident. */
    static final int LEAST_BEFORE = 8;

    /** How long before the breach readings may have begun to depart. */
    private static final int MOST_LEAD = 10;

    /** Of the mean before. */
    private static final double LEAST_RISE = 0.1;

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final List<String> SCOPES = List.of("node", "replica", "version", "tenant", "class");
    private static final int NEW_WITHIN = 45;

    /** The incident; empty where too little is known of the minutes before it. */
    Optional<Incident> read() {
        long first = first();
        if (breach - first < LEAST_BEFORE || last < breach) {
            return Optional.empty();
        }
        return Optional.of(new Incident(stages(first), signals(first), events(), scopes()));
    }

    /** The first of the minutes of which the fleet's requests are known. */
    private long first() {
        CauseRing fleet = history.ring(SubjectMinute.FLEET);
        if (fleet == null) {
            return Long.MAX_VALUE;
        }
        for (long minute = fleet.last() - CauseRing.MINUTES + 1; minute <= fleet.last(); minute++) {
            if (fleet.get(minute, CauseReading.REQUESTS) > 0) {
                return minute;
            }
        }
        return Long.MAX_VALUE;
    }

    /** By like requests where the fleet or a model is meant; of all others requests are taken together. */
    private StageShares stages(long first) {
        Map<String, Bucket> now = new TreeMap<>();
        Map<String, Bucket> before = new TreeMap<>();
        boolean isFleet = subject.equals(SubjectMinute.FLEET);
        if (isFleet || subject.startsWith("model/")) {
            String model = isFleet ? "" : subject.substring("model".length()) + '/';
            for (String like : history.subjects(SubjectMinute.LIKE_REQUESTS)) {
                if (like.startsWith(SubjectMinute.LIKE_REQUESTS + model)) {
                    add(like, first, before, now);
                }
            }
        } else {
            add(subject, first, before, now);
        }
        StageShares shares = StageShares.of(now, before);
        // Chance makes some stage rise in any two periods: what is no rise comes from nowhere.
        return shares.riseMicros() < LEAST_RISE * meanMicros(before)
                ? new StageShares(Map.of(), 0, shares.riseMicros())
                : shares;
    }

    private static double meanMicros(Map<String, Bucket> buckets) {
        double total = 0;
        double requests = 0;
        for (Bucket bucket : buckets.values()) {
            requests += bucket.n();
            total += bucket.n()
                    * bucket.meanMicros().values().stream()
                            .mapToDouble(mean -> mean)
                            .sum();
        }
        return requests == 0 ? 0 : total / requests;
    }

    private void add(String bucket, long first, Map<String, Bucket> before, Map<String, Bucket> now) {
        CauseRing ring = history.ring(bucket);
        if (ring != null) {
            bucket(ring, first, breach - 1).ifPresent(found -> before.put(bucket, found));
            bucket(ring, breach, last).ifPresent(found -> now.put(bucket, found));
        }
    }

    private static Optional<Bucket> bucket(CauseRing ring, long from, long to) {
        Map<String, Double> totals = new HashMap<>();
        double requests = 0;
        for (long minute = from; minute <= to; minute++) {
            double n = ring.get(minute, CauseReading.REQUESTS);
            if (!(n > 0)) {
                continue;
            }
            requests += n;
            for (CauseReading stage : CauseReading.stages()) {
                double mean = ring.get(minute, stage);
                if (!Double.isNaN(mean)) {
                    totals.merge(stage.stage(), n * mean, Double::sum);
                }
            }
            double moved = ring.get(minute, CauseReading.KV_TRANSFER);
            if (!Double.isNaN(moved)) {
                totals.merge(CauseReading.KV_TRANSFER.stage(), moved, Double::sum);
            }
        }
        double all = requests;
        totals.replaceAll((stage, total) -> total / all);
        return all < 1 ? Optional.empty() : Optional.of(new Bucket(Math.round(all), totals));
    }

    private List<Signal> signals(long first) {
        int before = (int) Math.max(LEAST_BEFORE, breach - first - MOST_LEAD);
        List<Signal> signals = new ArrayList<>();
        for (CauseReading reading : CauseReading.values()) {
            if (!reading.signal().isEmpty()) {
                double[] values = values(reading, first);
                if (values.length > 0) {
                    signals.add(Signal.of(reading.signal(), values, before, (int) (breach - first), MINUTE));
                }
            }
        }
        return signals;
    }

    /** Of the subject, or of the fleet where nothing tells of the subject; empty where a quarter of the minutes is not known. Gaps are as the minute before. */
    private double[] values(CauseReading reading, long first) {
        double[] own = values(history.ring(subject), reading, first);
        return own.length > 0 ? own : values(history.ring(SubjectMinute.FLEET), reading, first);
    }

    private double[] values(@Nullable CauseRing ring, CauseReading reading, long first) {
        if (ring == null) {
            return new double[0];
        }
        double[] values = new double[(int) (last - first + 1)];
        int missing = 0;
        double known = Double.NaN;
        for (int i = 0; i < values.length; i++) {
            double value = ring.get(first + i, reading);
            missing += Double.isNaN(value) ? 1 : 0;
            known = Double.isNaN(value) ? known : value;
            values[i] = known;
        }
        for (int i = values.length - 1; i >= 0; i--) {
            known = Double.isNaN(values[i]) ? known : values[i];
            values[i] = known;
        }
        return 4 * missing > values.length ? new double[0] : values;
    }

    /** Versions whose first requests came not long before the incident, when others had come for long. */
    private List<Incident.Event> events() {
        List<Incident.Event> events = new ArrayList<>();
        CauseRing fleet = history.ring(SubjectMinute.FLEET);
        for (String version : history.subjects("version")) {
            CauseRing ring = history.ring(version);
            if (ring == null || fleet == null) {
                continue;
            }
            long since = last - NEW_WITHIN;
            while (since <= last && !(ring.get(since, CauseReading.REQUESTS) > 0)) {
                since++;
            }
            boolean isNew = since > last - NEW_WITHIN && since - first() >= LEAST_BEFORE && since <= breach + 1;
            if (isNew) {
                String name = version.substring(version.indexOf('/') + 1);
                Duration age = MINUTE.multipliedBy(Math.max(0, breach - since));
                events.add(new Incident.Event("release", name, age, breach - since <= 1));
            }
        }
        return events;
    }

    private List<Incident.Scope> scopes() {
        List<Incident.Scope> scopes = new ArrayList<>();
        for (String kind : SCOPES) {
            Map<String, double[]> byValue = new TreeMap<>();
            double bad = 0;
            double all = 0;
            for (String value : history.subjects(kind)) {
                CauseRing ring = history.ring(value);
                if (ring != null) {
                    double[] counts = {
                        ring.sum(CauseReading.BAD, breach, last), ring.sum(CauseReading.REQUESTS, breach, last)
                    };
                    byValue.put(value.substring(kind.length() + 1), counts);
                    bad += counts[0];
                    all += counts[1];
                }
            }
            for (Map.Entry<String, double[]> value : byValue.entrySet()) {
                if (bad > 0 && value.getValue()[1] > 0) {
                    scopes.add(new Incident.Scope(
                            kind, value.getKey(), value.getValue()[0] / bad, value.getValue()[1] / all));
                }
            }
        }
        return scopes;
    }
}
