package io.inferwatch.analytics.cause;

import io.inferwatch.analytics.cause.Incident.Event;
import io.inferwatch.analytics.cause.Incident.Scope;
import io.inferwatch.analytics.cause.StageShares.Bucket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * An incident with one fault in it, as a fleet would show it: the fault slows stages, crowds the queue, moves readings some minutes before or after, some of which nobody
 * reads; other readings move by chance, and people deploy at all times.
 */
final class InjectedIncident {
    static final int BEFORE = 30;
    static final int BREACH = 40;
    static final int WINDOWS = 50;

    /** In a fixed order: chance is drawn stage by stage. */
    private static final SortedMap<String, double[]> STAGES = new TreeMap<>(Map.of(
            "queue", new double[] {20, 25, 30},
            "authentication", new double[] {5, 5, 5},
            "tokenize", new double[] {2, 4, 9},
            "prefill", new double[] {50, 150, 400},
            "kv_transfer", new double[] {6, 12, 25},
            "decode", new double[] {400, 600, 800},
            "network", new double[] {15, 15, 15}));

    private static final List<String> SIGNALS = List.of(
            "request_rate",
            "waiting_requests",
            "prompt_tokens",
            "sm_clock",
            "throttled",
            "gpu_temperature",
            "prefix_hit_ratio",
            "cache_timeouts",
            "preemptions",
            "kv_usage",
            "link_errors",
            "kv_transfer",
            "authentication_errors",
            "authentication",
            "disk_reads",
            "host_load");

    private final SplittableRandom random;
    private final Map<String, Double> slower = new HashMap<>();
    private final Map<String, Double> moved = new HashMap<>();
    private final List<Event> events = new ArrayList<>();
    private final Map<String, double[]> places = new HashMap<>();
    private double[] mix = {0.5, 0.3, 0.2};

    private InjectedIncident(SplittableRandom random) {
        this.random = random;
    }

    /** An incident with that fault; {@link CauseRanking#UNKNOWN} for one that nothing that is read shows. */
    static Incident of(String fault, SplittableRandom random) {
        InjectedIncident incident = new InjectedIncident(random);
        incident.happen(fault);
        return incident.read();
    }

    private void happen(String fault) {
        switch (fault) {
            case "overload" -> {
                slow("queue", 5, 20);
                slow("decode", 1.05, 1.3);
                slow("prefill", 1, 1.2);
                move("request_rate", 1);
                move("waiting_requests", 1);
                move("kv_usage", 0.5);
            }
            case "longer-prompts" -> {
                double share = between(0.2, 0.45);
                mix = new double[] {0.5 - share, 0.3, 0.2 + share};
                slow("queue", 1, 2.5);
                move("prompt_tokens", 1);
                move("kv_usage", 0.4);
                place("tenant", between(0.05, 0.3), between(0.4, 0.9));
            }
            case "slow-device" -> {
                double factor = between(1.2, 2);
                slow("prefill", factor, factor);
                slow("decode", factor, factor);
                slow("queue", 1.2, 4);
                move("sm_clock", -1);
                move("throttled", 1);
                move("gpu_temperature", 0.7);
                place("node", between(0.03, 0.15), between(0.5, 0.95));
            }
            case "cache-misses" -> {
                slow("prefill", 1.6, 3);
                slow("queue", 1, 3);
                move("prefix_hit_ratio", -1);
                move("cache_timeouts", 0.8);
            }
            case "memory-pressure" -> {
                slow("decode", 1.2, 1.8);
                slow("queue", 2, 10);
                move("preemptions", 1);
                move("kv_usage", 1);
                if (chance(0.5)) {
                    place("replica", between(0.02, 0.1), between(0.3, 0.8));
                }
            }
            case "interconnect" -> {
                slow("kv_transfer", 8, 30);
                slow("decode", 1, 1.15);
                move("link_errors", 0.8);
                move("kv_transfer", 1);
                if (chance(0.7)) {
                    place("node", between(0.03, 0.15), between(0.4, 0.9));
                }
            }
            case "authentication" -> {
                slow("authentication", 15, 80);
                slow("queue", 1, 1.3);
                move("authentication_errors", 1);
                move("authentication", 1);
            }
            case "release" -> {
                slow(List.of("prefill", "decode", "tokenize").get(random.nextInt(3)), 1.4, 3);
                slow("queue", 1, 2);
                events.add(new Event(chance(0.7) ? "release" : "config", "v2", minutes(1, 25), chance(0.7)));
                place("version", between(0.3, 0.6), between(0.75, 0.99));
            }
            default -> slow("network", 10, 40);
        }
        for (String kind : List.of("release", "config", "scale", "node")) {
            if (chance(0.1)) {
                events.add(new Event(kind, "by chance", minutes(0, 60), chance(0.1)));
            }
        }
        for (String dimension : List.of("node", "replica", "version", "tenant", "class")) {
            double share = between(0.05, 0.4);
            places.putIfAbsent(dimension, new double[] {share, Math.min(1, share * between(0.7, 1.6))});
        }
    }

    private Incident read() {
        List<Signal> signals = new ArrayList<>();
        for (String name : SIGNALS) {
            boolean isRead = chance(0.9);
            double size = moved.getOrDefault(name, 0.0) * between(4, 20);
            double onset = between(-6, 2);
            if (size == 0 && chance(0.1)) {
                size = (chance(0.5) ? 1 : -1) * between(3, 12);
                onset = between(-10, 8);
            }
            if (isRead) {
                signals.add(Signal.of(name, course(size, BREACH + onset), BEFORE, BREACH, Duration.ofMinutes(1)));
            }
        }
        // A crowded queue shows itself, whatever crowds it, once it is one.
        if (slower.getOrDefault("queue", 1.0) > 2 && moved.getOrDefault("waiting_requests", 0.0) == 0) {
            signals.removeIf(signal -> signal.name().equals("waiting_requests"));
            signals.add(Signal.of(
                    "waiting_requests",
                    course(between(3, 10), BREACH + between(0, 3)),
                    BEFORE,
                    BREACH,
                    Duration.ofMinutes(1)));
        }
        List<Scope> scopes = new ArrayList<>();
        places.forEach((dimension, shares) -> scopes.add(new Scope(dimension, "x", shares[1], shares[0])));
        return new Incident(
                StageShares.of(buckets(mix, slower), buckets(new double[] {0.5, 0.3, 0.2}, Map.of())),
                signals,
                events,
                scopes);
    }

    /** A reading whose neighbours resemble each other, and that goes up by so many of its interquartile ranges from a minute on. */
    private double[] course(double size, double onset) {
        double[] values = new double[WINDOWS];
        double noise = 0;
        for (int i = 0; i < WINDOWS; i++) {
            noise = 0.5 * noise + Math.sqrt(0.75) * gaussian();
            values[i] = 100 + noise + (i >= onset ? 1.35 * size : 0);
        }
        return values;
    }

    private Map<String, Bucket> buckets(double[] weights, Map<String, Double> factors) {
        Map<String, Bucket> buckets = new TreeMap<>();
        for (int bucket = 0; bucket < 3; bucket++) {
            Map<String, Double> means = new HashMap<>();
            for (Map.Entry<String, double[]> stage : STAGES.entrySet()) {
                means.put(
                        stage.getKey(),
                        1_000
                                * stage.getValue()[bucket]
                                * factors.getOrDefault(stage.getKey(), 1.0)
                                * Math.exp(0.04 * gaussian()));
            }
            buckets.put("b" + bucket, new Bucket(Math.max(1, Math.round(2_000 * weights[bucket])), means));
        }
        return buckets;
    }

    private void slow(String stage, double least, double most) {
        slower.put(stage, between(least, most));
    }

    private void move(String signal, double size) {
        if (chance(0.85)) {
            moved.put(signal, size);
        }
    }

    private void place(String dimension, double share, double badShare) {
        places.put(dimension, new double[] {share, badShare});
    }

    private Duration minutes(double least, double most) {
        return Duration.ofSeconds(Math.round(60 * between(least, most)));
    }

    private double between(double least, double most) {
        return least + (most - least) * random.nextDouble();
    }

    private boolean chance(double p) {
        return random.nextDouble() < p;
    }

    private double gaussian() {
        return Math.sqrt(-2 * Math.log(1 - random.nextDouble())) * Math.cos(2 * Math.PI * random.nextDouble());
    }
}
