package io.inferwatch.probes.otlp;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Estimates how many spans are lost on their way: requests that a replica finished in a minute by its own counter, against those whose spans
 * ended in it. The counter at a minute's edges is interpolated between its readings, so that an estimate is off by what finishes between two
 * readings, at most. A minute is judged {@value #GRACE_SECONDS} s after its end, when the senders' batches have arrived; with fewer than
 * {@value #MIN_FINISHED} finished requests it is not. Above {@value #LIMIT_PERCENT} % it is flagged: counted, and logged when that begins and
 * when it ends. A counter that fell started anew at 0. Thread safe; holds some minutes for each replica that has a counter, and forgets one
 * that was silent for 10 minutes.
 */
public final class SpanLoss implements EngineCounters {
    /** Above it tracing is at fault. */
    static final int LIMIT_PERCENT = 5;

    static final int GRACE_SECONDS = 30;
    static final int MIN_FINISHED = 20;

    private static final Logger LOG = LoggerFactory.getLogger(SpanLoss.class);
    private static final long MINUTE_MICROS = 60_000_000;
    private static final long GRACE_MICROS = GRACE_SECONDS * 1_000_000L;
    private static final long FORGET_MICROS = 10 * MINUTE_MICROS;
    private static final int MAX_READINGS = 1_000;
    private static final int MAX_MINUTES = 1_000;
    private static final int MAX_REPLICAS = 4_000;

    private final Map<String, Replica> replicas = new HashMap<>();

    /**
     * What was found of one replica.
     *
     * @param minute the last one judged
     * @param finished requests by the engine's counter
     * @param spans those whose spans arrived
     * @param lostRatio the part that is missing, from 0 to 1
     * @param flaggedMinutes minutes above the limit so far
     */
    public record Estimate(
            String replica, Instant minute, double finished, long spans, double lostRatio, long flaggedMinutes) {
        /** Whether this minute is above the limit. */
        public boolean flagged() {
            return lostRatio * 100 > LIMIT_PERCENT;
        }
    }

    private static final class Replica {
        /** Requests finished since the first reading, by the time of the reading. */
        private final TreeMap<Long, Long> finished = new TreeMap<>();

        private final Map<Long, Long> spansByMinute = new HashMap<>();
        private long lastTotal;
        private boolean touched;
        private long touchedAtMicros;
        private long judgedBefore;
        private long flaggedMinutes;
        private @Nullable Estimate last;
    }

    @Override
    public synchronized void finished(String replica, long total, long atMicros) {
        Replica counted = replica(replica);
        if (counted == null) {
            return;
        }
        Map.Entry<Long, Long> before = counted.finished.lastEntry();
        if (before == null) {
            counted.finished.put(atMicros, 0L);
        } else if (atMicros > before.getKey()) {
            long increase = total >= counted.lastTotal ? total - counted.lastTotal : total;
            counted.finished.put(atMicros, before.getValue() + increase);
        }
        counted.lastTotal = total;
        counted.touched = true;
        while (counted.finished.size() > MAX_READINGS) {
            counted.finished.pollFirstEntry();
        }
    }

    /** Notes a request's span that ended then; sampled or not. */
    synchronized void span(String replica, long endedAtMicros) {
        Replica counted = replica(replica);
        if (counted != null && counted.spansByMinute.size() < MAX_MINUTES) {
            counted.touched = true;
            counted.spansByMinute.merge(Math.floorDiv(endedAtMicros, MINUTE_MICROS), 1L, Long::sum);
        }
    }

    /** Judges the minutes that are due; to be called every few seconds. */
    synchronized void judge(long nowMicros) {
        long due = Math.floorDiv(nowMicros - GRACE_MICROS, MINUTE_MICROS);
        Iterator<Map.Entry<String, Replica>> entries = replicas.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry<String, Replica> entry = entries.next();
            Replica counted = entry.getValue();
            judge(entry.getKey(), counted, due);
            if (counted.touched) {
                counted.touched = false;
                counted.touchedAtMicros = nowMicros;
            } else if (nowMicros - counted.touchedAtMicros > FORGET_MICROS) {
                entries.remove();
            }
        }
    }

    /** The latest estimate of each replica that has one. */
    public synchronized List<Estimate> estimates() {
        List<Estimate> latest = new ArrayList<>();
        for (Replica counted : replicas.values()) {
            if (counted.last != null) {
                latest.add(counted.last);
            }
        }
        return latest;
    }

    private @Nullable Replica replica(String name) {
        Replica known = replicas.get(name);
        if (known == null && replicas.size() < MAX_REPLICAS) {
            known = new Replica();
            replicas.put(name, known);
        }
        return known;
    }

    /** Judges every minute before the due one that lies whole between two readings. */
    private static void judge(String name, Replica counted, long due) {
        if (counted.finished.size() < 2) {
            counted.spansByMinute.keySet().removeIf(minute -> minute < due - 10);
            return;
        }
        long first = Math.max(
                counted.judgedBefore, Math.floorDiv(counted.finished.firstKey() + MINUTE_MICROS - 1, MINUTE_MICROS));
        for (long minute = first; minute < due; minute++) {
            long from = minute * MINUTE_MICROS;
            if (counted.finished.lastKey() < from + MINUTE_MICROS) {
                break;
            }
            double finished = finishedAt(counted, from + MINUTE_MICROS) - finishedAt(counted, from);
            Long spans = counted.spansByMinute.remove(minute);
            if (finished >= MIN_FINISHED) {
                note(name, counted, minute, finished, spans == null ? 0 : spans);
            }
            counted.judgedBefore = minute + 1;
        }
        counted.spansByMinute.keySet().removeIf(minute -> minute < counted.judgedBefore);
        Long needed = counted.finished.floorKey(counted.judgedBefore * MINUTE_MICROS);
        if (needed != null) {
            counted.finished.headMap(needed).clear();
        }
    }

    private static void note(String name, Replica counted, long minute, double finished, long spans) {
        boolean flaggedBefore = counted.last != null && counted.last.flagged();
        double lost = Math.max(0, finished - spans) / finished;
        Instant at = Instant.ofEpochSecond(minute * 60);
        Estimate estimate = new Estimate(name, at, finished, spans, lost, counted.flaggedMinutes);
        if (estimate.flagged()) {
            counted.flaggedMinutes++;
            estimate = new Estimate(name, at, finished, spans, lost, counted.flaggedMinutes);
        }
        counted.last = estimate;
        if (estimate.flagged() && !flaggedBefore) {
            LOG.warn(
                    "{}: {} of {} requests of the minute {} have no span, more than {} %",
                    name, Math.round(finished - spans), Math.round(finished), at, LIMIT_PERCENT);
        } else if (!estimate.flagged() && flaggedBefore) {
            LOG.info("{}: spans arrive again since {}", name, at);
        }
    }

    private static double finishedAt(Replica counted, long atMicros) {
        Map.Entry<Long, Long> before = counted.finished.floorEntry(atMicros);
        Map.Entry<Long, Long> after = counted.finished.ceilingEntry(atMicros);
        if (before == null || after == null) {
            throw new IllegalStateException("minute: must lie between two readings");
        }
        long span = after.getKey() - before.getKey();
        return span == 0
                ? before.getValue()
                : before.getValue()
                        + (double) (after.getValue() - before.getValue()) * (atMicros - before.getKey()) / span;
    }
}
