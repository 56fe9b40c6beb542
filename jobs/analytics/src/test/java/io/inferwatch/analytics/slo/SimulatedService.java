package io.inferwatch.analytics.slo;

import io.inferwatch.analytics.slo.ConditionStatus.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;

/** A service minute by minute in virtual time, and what its objective said. */
final class SimulatedService {
    static final long MINUTE = 60_000_000;
    static final long START = 1_767_225_600_000_000L;

    final ObjectiveHistory history;
    final List<Event> events = new ArrayList<>();
    ObjectiveStatus status;
    long nowMicros = START;

    /** A condition that began to fire, or ceased to. */
    record Event(String condition, boolean isFiring, long atMicros) {
        long minutesAfter(long micros) {
            return (atMicros - micros) / MINUTE;
        }
    }

    SimulatedService(Objective objective) {
        history = new ObjectiveHistory(objective);
        status = history.evaluate(START);
    }

    /** Minutes of equal tallies. */
    void run(Duration time, Tally each) {
        for (long left = time.toMinutes(); left > 0; left--) {
            minute(each);
        }
    }

    /** Minutes of so many requests, each of which is bad with that probability. */
    void run(Duration time, int perMinute, double errorShare, SplittableRandom random) {
        for (long left = time.toMinutes(); left > 0; left--) {
            minute(new Tally(perMinute - drawn(perMinute, errorShare, random), perMinute));
        }
    }

    void minute(Tally tally) {
        history.observe(nowMicros + MINUTE, tally);
        silentMinute();
    }

    /** Time goes on, and nothing is heard. */
    void silentMinute() {
        nowMicros += MINUTE;
        status = history.evaluate(nowMicros);
        for (ConditionStatus condition : status.conditions()) {
            if (condition.isChange() && condition.phase() != Phase.PENDING) {
                events.add(new Event(condition.condition().name(), condition.phase() == Phase.FIRING, nowMicros));
            }
        }
    }

    /** When a condition first fired. */
    OptionalLong firstFired(String condition) {
        return events.stream()
                .filter(event -> event.isFiring() && event.condition().equals(condition))
                .mapToLong(Event::atMicros)
                .findFirst();
    }

    ConditionStatus condition(String name) {
        return status.conditions().stream()
                .filter(condition -> condition.condition().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Binomial, by the distances between hits, which are geometric. */
    private static int drawn(int n, double p, SplittableRandom random) {
        int hits = 0;
        double logMiss = Math.log1p(-p);
        for (double at = 1 + Math.floor(Math.log(1 - random.nextDouble()) / logMiss);
                at <= n;
                at += 1 + Math.floor(Math.log(1 - random.nextDouble()) / logMiss)) {
            hits++;
        }
        return hits;
    }
}
