package io.inferwatch.simulation.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.analytics.anomaly.AnomalyDetector;
import io.inferwatch.analytics.anomaly.AnomalyRule;
import io.inferwatch.analytics.anomaly.Judgement;
import io.inferwatch.analytics.anomaly.Scale;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.simulation.serving.Fault;
import io.inferwatch.simulation.serving.ServerSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * How soon an incident is told and how often nothing is. Two simulated servers under a steady load of three requests a second each in virtual time; the first has a fault from some minute on. Six series of each, windows of a minute:
 * medians of TTFT, TPOT and E2E, shares of failed requests and of cached tokens, mean use of the KV cache. What detectors have learned is two days of windows drawn with replacement from half an hour without a fault, since
 * days in virtual time would take days: there is no season and no wandering in it. Delay counts windows from the one in which the fault begins. Written to
 * target/incidents.txt; {@link IncidentsLongTest} does it with twenty seeds, for the README.
 */
class IncidentsTest {
    private static final Instant START = Instant.parse("2026-03-02T00:00:00Z");
    private static final int SETTLING_MINUTES = 10;
    private static final int LEARNED_MINUTES = 30;
    private static final int BEFORE_MINUTES = 5;
    private static final int FAULT_MINUTES = 10;
    private static final int LEARN_DAYS = 2;
    private static final int MINUTES_A_DAY = 1_440;
    private static final int MINUTES_AN_HOUR = 60;
    private static final int REPLICAS = 2;
    private static final double REQUESTS_PER_SECOND = 3;
    private static final long MINUTE_MICROS = 60_000_000;

    int seeds() {
        return 1;
    }

    List<Fault> faults() {
        return List.of(Fault.SLOW_NODE);
    }

    /** A replica's requests that ended in a minute, and readings of its engine. */
    private record Minute(List<RequestEvent> events, List<EngineSample> engine) {}

    /** What is watched of a replica. */
    private enum Series {
        TTFT(Scale.LOG) {
            @Override
            OptionalDouble of(Minute minute) {
                return median(minute.events.stream().map(RequestEvent::getTtftMicros));
            }
        },
        TPOT(Scale.LOG) {
            @Override
            OptionalDouble of(Minute minute) {
                return median(minute.events.stream().map(RequestEvent::getTpotNanos));
            }
        },
        E2E(Scale.LOG) {
            @Override
            OptionalDouble of(Minute minute) {
                return median(
                        minute.events.stream().filter(IncidentsTest::isComplete).map(RequestEvent::getE2eMicros));
            }
        },
        FAILED(Scale.LOGIT) {
            @Override
            OptionalDouble of(Minute minute) {
                return minute.events.stream()
                        .mapToDouble(event -> isComplete(event) ? 0 : 1)
                        .average();
            }
        },
        CACHED(Scale.LOGIT) {
            @Override
            OptionalDouble of(Minute minute) {
                double cached = sum(minute.events.stream().map(RequestEvent::getCachedTokens));
                double prompt = sum(minute.events.stream().map(RequestEvent::getPromptTokens));
                return prompt > 0 ? OptionalDouble.of(cached / prompt) : OptionalDouble.empty();
            }
        },
        KV_USE(Scale.LOGIT) {
            @Override
            OptionalDouble of(Minute minute) {
                return minute.engine.stream()
                        .map(EngineSample::getKvUsagePpm)
                        .filter(Objects::nonNull)
                        .mapToDouble(ppm -> ppm / 1e6)
                        .average();
            }

            @Override
            Window window(Minute minute) {
                // A mean over the minute, whatever the number of its readings.
                return new Window(of(minute), Integer.MAX_VALUE);
            }
        };

        private final Scale scale;

        Series(Scale scale) {
            this.scale = scale;
        }

        abstract OptionalDouble of(Minute minute);

        Window window(Minute minute) {
            return new Window(of(minute), minute.events.size());
        }

        private static OptionalDouble median(Stream<Long> values) {
            long[] rising = values.filter(Objects::nonNull)
                    .mapToLong(Long::longValue)
                    .sorted()
                    .toArray();
            return rising.length == 0 ? OptionalDouble.empty() : OptionalDouble.of((double) rising[rising.length / 2]);
        }

        private static double sum(Stream<Long> values) {
            return values.filter(Objects::nonNull)
                    .mapToDouble(Long::doubleValue)
                    .sum();
        }
    }

    private static boolean isComplete(RequestEvent event) {
        return event.getOutcome() == Outcome.OK || event.getOutcome() == Outcome.LENGTH;
    }

    @Test
    void incidentsAreToldWithinThreeWindowsAndNothingElseIs() throws IOException {
        Map<Fault, List<Integer>> delays = new EnumMap<>(Fault.class);
        Map<Fault, Integer> falseAlarms = new EnumMap<>(Fault.class);
        for (int seed = 1; seed <= seeds(); seed++) {
            List<List<Minute>> healthy = minutes(seed, LEARNED_MINUTES, Optional.empty());
            for (Fault fault : faults()) {
                List<List<Minute>> run = minutes(seed + 1_000, BEFORE_MINUTES + FAULT_MINUTES, Optional.of(fault));
                for (int replica = 0; replica < REPLICAS; replica++) {
                    int told = told(healthy.get(replica), run.get(replica), seed);
                    boolean isFaulty = replica == 0;
                    if (isFaulty && told >= BEFORE_MINUTES) {
                        delays.computeIfAbsent(fault, key -> new ArrayList<>()).add(told - BEFORE_MINUTES);
                    } else if (told >= 0) {
                        falseAlarms.merge(fault, 1, Integer::sum);
                    }
                }
            }
        }
        List<String> lines = new ArrayList<>();
        lines.add("| fault (severity) | told of | median delay | 90 % | false |");
        for (Fault fault : faults()) {
            int[] rising = delays.getOrDefault(fault, List.of()).stream()
                    .mapToInt(Integer::intValue)
                    .sorted()
                    .toArray();
            lines.add(String.format(
                    Locale.ROOT,
                    "| %s (%s) | %d of %d | %s | %s | %d |",
                    fault.text(),
                    fault.usualSeverity(),
                    rising.length,
                    seeds(),
                    rising.length == 0 ? "-" : rising[rising.length / 2],
                    rising.length == 0 ? "-" : rising[(rising.length * 9) / 10],
                    falseAlarms.getOrDefault(fault, 0)));
        }
        Files.write(Path.of("target", "incidents.txt"), lines);
        check(delays, falseAlarms);
    }

    void check(Map<Fault, List<Integer>> delays, Map<Fault, Integer> falseAlarms) {
        // A fifth of the KV cache is enough for three requests a second: the cache's own use alone tells of it.
        assertThat(delays.keySet()).containsExactlyInAnyOrderElementsOf(faults());
        delays.forEach((fault, all) -> assertThat(all.stream().sorted().toList().get(all.size() / 2))
                .as(fault.text())
                .isLessThanOrEqualTo(3));
        assertThat(falseAlarms).isEmpty();
    }

    /** Minutes of each replica, once servers and caches are filled. */
    private static List<List<Minute>> minutes(long seed, int minutes, Optional<Fault> fault) {
        RecordedFleet recorded = new RecordedFleet();
        VirtualFleet fleet = new VirtualFleet(
                "incidents",
                IntStream.range(0, REPLICAS)
                        .mapToObj(i -> ServerSpec.usual(i, seed))
                        .toList(),
                PoissonLoad.of(REPLICAS * REQUESTS_PER_SECOND, seed),
                START,
                recorded);
        fault.ifPresent(one -> fleet.switchOn(
                Duration.ofMinutes(SETTLING_MINUTES + BEFORE_MINUTES),
                ServerSpec.usual(0, seed).replica(),
                one,
                one.usualSeverity()));
        fleet.run(Duration.ofMinutes(SETTLING_MINUTES + minutes));
        List<List<Minute>> byReplica = new ArrayList<>();
        for (int i = 0; i < REPLICAS; i++) {
            List<Minute> byMinute = new ArrayList<>();
            for (int minute = 0; minute < minutes; minute++) {
                byMinute.add(new Minute(new ArrayList<>(), new ArrayList<>()));
            }
            String replica = ServerSpec.usual(i, seed).replica();
            for (RequestEvent event : recorded.of(replica)) {
                minute(event.getCompletedAtMicros(), byMinute).ifPresent(minute -> minute.events.add(event));
            }
            for (EngineSample sample : recorded.enginesOf(replica)) {
                minute(sample.getSampledAtMicros(), byMinute).ifPresent(minute -> minute.engine.add(sample));
            }
            byReplica.add(byMinute);
        }
        return byReplica;
    }

    private static Optional<Minute> minute(long atMicros, List<Minute> minutes) {
        long minute = Math.floorDiv(atMicros - micros(START), MINUTE_MICROS) - SETTLING_MINUTES;
        return minute >= 0 && minute < minutes.size() ? Optional.of(minutes.get((int) minute)) : Optional.empty();
    }

    /** The first minute of the run in which any series of the replica is told, or -1. */
    private static int told(List<Minute> healthy, List<Minute> run, int seed) {
        int first = -1;
        for (Series series : Series.values()) {
            AnomalyDetector detector = new AnomalyDetector(AnomalyRule.STANDARD, series.scale, Duration.ofMinutes(1));
            SplittableRandom random = new SplittableRandom(seed);
            List<Window> learned = healthy.stream().map(series::window).toList();
            long endMicros = micros(START);
            for (int minute = 0; minute < LEARN_DAYS * MINUTES_A_DAY + MINUTES_AN_HOUR; minute++) {
                endMicros += MINUTE_MICROS;
                learned.get(random.nextInt(learned.size())).observe(detector, endMicros);
            }
            for (int minute = 0; minute < run.size(); minute++) {
                endMicros += MINUTE_MICROS;
                boolean isTold = series.window(run.get(minute))
                        .observe(detector, endMicros)
                        .filter(Judgement::alarm)
                        .isPresent();
                if (isTold && (first < 0 || minute < first)) {
                    first = minute;
                }
            }
        }
        return first;
    }

    private record Window(OptionalDouble value, int n) {
        Optional<Judgement> observe(AnomalyDetector detector, long endMicros) {
            return value.isEmpty() ? Optional.empty() : detector.observe(endMicros, value.getAsDouble(), n);
        }
    }

    private static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }
}
