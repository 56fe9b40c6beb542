package io.inferwatch.local.live;

import io.inferwatch.influx.InfluxClient;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxRow;
import io.inferwatch.influx.InfluxSeries;
import io.inferwatch.influx.InfluxUnavailableException;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.local.LocalStack;
import io.inferwatch.probes.publish.KafkaSettings;
import io.inferwatch.simulation.http.SimulationServer;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Three simulated servers behind proxies under the load of a real trace. After at least twenty seconds that warm up come whole minutes;
 * when half of them are over, one server becomes a slow node, or what else is asked for. The summary compares each replica's time to first token before and after in
 * InfluxDB, and the stages that the servers' spans told: it succeeds when the slow one's P99 has grown by half or more and no other's has, when
 * InfluxDB has every request that was sent, and each with its stages.
 */
public final class LiveDemo {
    private static final String PROGRESS = "%-8s %8s %8s %12s   %s";
    private static final int REPLICAS = 3;
    private static final int FAULTY = 1;
    private static final double GROWTH = 1.5;
    private static final long SEED = 1;

    /** Twelve minutes of the past, the one in which the first settle, three for the verdict and some to show that it lasts. */
    public static final int MIN_MINUTES_OF_DRIFT = 19;

    /** Two of memory as usual, and five for two minutes of three that show it and some to show that it lasts; too few for verdicts on drift. */
    public static final int MIN_MINUTES_OF_MEMORY = 8;

    private static final int MINUTES_AFTER = 5;

    /** Four before a slow node breaks a promise, four until the fault is over. */
    public static final int MIN_MINUTES_OF_PROMISES = 9;

    /** A short window of a minute without the fault, three times running, and what it takes to be told. */
    private static final Duration RECOVERY = Duration.ofMinutes(5);

    /** Two of them fit into what is left of the KV cache. */
    private static final int LONGEST_PROMPT_OF_MEMORY = 2_048;

    private static final Duration DELAY = Duration.ofMinutes(3);
    private static final Duration WARM_UP = Duration.ofSeconds(20);
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final Duration SETTLING = Duration.ofMinutes(3);

    private final LocalStack stack;
    private final Path data;
    private final PrintWriter out;
    private boolean isPromising;

    /**
     * A demo on a stack that holds no requests yet.
     *
     * @param data directory for what it needs
     */
    public LiveDemo(LocalStack stack, Path data, PrintWriter out) {
        this.stack = stack;
        this.data = data;
        this.out = out;
    }

    /**
     * Plays it.
     *
     * @param minutes at least 3
     * @return whether InfluxDB shows the fault where it was, nowhere else, and every request
     */
    public boolean play(int minutes) throws InterruptedException {
        return play(minutes, LiveFault.SLOW_NODE, (minutes - 1) / 2, false);
    }

    /**
     * Plays it long enough for verdicts on drift, or alerts of memory.
     *
     * @param minutes at least {@link LiveFault#leastMinutes()}
     * @return whether InfluxDB has every request, and says what the fault is: drift of the slow node alone within three minutes, or mix; or the one alert of
     *     memory that there must be, and no other
     */
    public boolean playFault(int minutes, LiveFault fault) throws InterruptedException {
        return play(minutes, fault, minutes - 1 - MINUTES_AFTER, true);
    }

    /**
     * Plays a slow node that breaks what is promised, and goes on until that is kept again.
     *
     * @param minutes until the fault is over, at least {@link #MIN_MINUTES_OF_PROMISES}
     * @return whether InfluxDB shows the fault where it was, nowhere else, and every request; and there was one page, of the slow node, which is over
     */
    public boolean playPromises(int minutes) throws InterruptedException {
        isPromising = true;
        return play(minutes, LiveFault.SLOW_NODE, (minutes - 1) / 2, false);
    }

    private boolean play(int minutes, LiveFault kind, int minutesBefore, boolean isJudged) throws InterruptedException {
        KafkaSettings kafka = KafkaSettings.of(stack.kafka().bootstrapServers());
        try (LiveFleet fleet = LiveFleet.start(REPLICAS, kind.timesAsFast(), SEED, data, kafka);
                InfluxClient client = InfluxClient.open(stack.influx());
                LiveTraffic traffic = LiveTraffic.start(trace(kind), fleet.proxies())) {
            InfluxReader reader = new InfluxReader(client);
            Instant begin = Instant.now();
            Instant from = minuteAfter(begin.plus(WARM_UP));
            Instant fault = from.plus(Duration.ofMinutes(minutesBefore));
            Instant end = from.plus(Duration.ofMinutes(minutes - 1));
            SimulationServer faulty = fleet.servers().get(FAULTY);
            String replica = "replica-" + FAULTY;
            for (int i = 0; i < REPLICAS; i++) {
                out.printf(
                        "  replica-%d  proxy %s -> simulated server %s%n",
                        i, fleet.proxies().get(i), fleet.servers().get(i).url());
            }
            String what = kind.what(replica);
            say("load of the Azure trace until %s; %s at %s".formatted(time(end), what, time(fault)));
            say(PROGRESS.formatted("UTC", "sent", "open", "in InfluxDB", "TTFT p50 of the last ten seconds"));
            runUntil(fault, reader, begin, traffic);
            kind.simulated().ifPresentOrElse(one -> faulty.switchOn(one, kind.severity()), traffic::lengthen);
            say("from now on: " + what);
            runUntil(end, reader, begin, traffic);
            if (isPromising) {
                kind.simulated().ifPresent(faulty::switchOff);
                say("the fault is over; the load goes on for " + RECOVERY.toMinutes() + " minutes");
                runUntil(end.plus(RECOVERY), reader, begin, traffic);
            }
            traffic.stop();
            kind.simulated().ifPresent(faulty::switchOff);
            say("load and fault are over; waiting for the last answers and windows");
            boolean isWhole = settle(reader, begin, traffic);
            ReplicaTable table = ReplicaTable.read(reader, from, fault, end);
            StageTable stages = StageTable.read(reader, from, fault, end);
            out.println();
            table.lines().forEach(out::println);
            out.println();
            stages.lines().forEach(out::println);
            out.println();
            boolean isSeen;
            if (kind.isOfMemory()) {
                isSeen = isMemoryRight(awaitAlert(reader, kind, fault), kind, replica);
            } else if (isJudged) {
                isSeen = isJudgedRight(awaitVerdicts(reader, fault, end), kind, "node-" + FAULTY);
            } else {
                isSeen = isSeen(table, replica);
            }
            isSeen &= !isPromising || isPagedOnce(reader, fault, replica);
            long stored = stored(reader, begin);
            out.printf(
                    "%,d requests sent, %,d failed, %,d in InfluxDB: %s%n",
                    traffic.sent(), traffic.failed(), stored, isWhole ? "every one, once" : "NOT EQUAL");
            if (!isJudged) {
                out.println(
                        isSeen
                                ? "the fault shows in the TTFT p99 of " + replica + " and nowhere else"
                                : "THE FAULT DOES NOT SHOW in the TTFT p99 of " + replica + " alone");
            }
            if (!stages.isWhole()) {
                out.println("SOME REQUESTS LACK THE STAGES that their servers' spans tell");
            }
            out.flush();
            return isWhole && isSeen && stages.isWhole() && traffic.failed() == 0;
        }
    }

    /** The verdicts of all minutes from the fault on; fewer when the last do not come. */
    private static DriftTable awaitVerdicts(InfluxReader reader, Instant fault, Instant end)
            throws InterruptedException {
        Instant patience = Instant.now().plus(SETTLING);
        DriftTable table = DriftTable.read(reader, fault, end);
        while (Instant.now().isBefore(patience) && !table.lastEnd().equals(Optional.of(end))) {
            Thread.sleep(LOOK.toMillis());
            table = DriftTable.read(reader, fault, end);
        }
        return table;
    }

    private boolean isJudgedRight(DriftTable verdicts, LiveFault kind, String node) {
        verdicts.lines().forEach(out::println);
        out.println();
        if (kind == LiveFault.LONGER_PROMPTS) {
            boolean isMix = verdicts.showsMix() && verdicts.drifting().isEmpty();
            out.println(
                    isMix
                            ? "the TTFT p99 of all requests has grown by the traffic's mix; no node has drifted"
                            : "NOT MIX ALONE: drifting " + verdicts.drifting());
            return isMix;
        }
        boolean isAlone = verdicts.drifting().equals(Set.of(node))
                && verdicts.delay().filter(delay -> delay.compareTo(DELAY) <= 0).isPresent();
        out.println(
                isAlone
                        ? "DRIFT of " + node + " was confirmed "
                                + verdicts.delay().orElseThrow().toMinutes()
                                + " minutes after it began, and of no other"
                        : "NOT DRIFT OF " + node + " ALONE WITHIN " + DELAY.toMinutes() + " MINUTES: drifting "
                                + verdicts.drifting());
        return isAlone;
    }

    private boolean isPagedOnce(InfluxReader reader, Instant fault, String replica) {
        PromiseTable promises = PromiseTable.read(reader, fault);
        promises.lines().forEach(out::println);
        out.println();
        boolean isOnce = promises.isOnePageThatIsOver(replica);
        out.println(
                isOnce
                        ? "one page, of " + replica + ", which ended when the fault was over"
                        : "NOT ONE PAGE OF " + replica + " THAT IS OVER");
        return isOnce;
    }

    /** What memory showed since the fault, with the alert that it must raise; without it when it does not come. */
    private static MemoryTable awaitAlert(InfluxReader reader, LiveFault kind, Instant fault)
            throws InterruptedException {
        Instant patience = Instant.now().plus(SETTLING);
        MemoryTable table = MemoryTable.read(reader, kind, fault);
        while (Instant.now().isBefore(patience) && table.alerts().isEmpty()) {
            Thread.sleep(LOOK.toMillis());
            table = MemoryTable.read(reader, kind, fault);
        }
        return table;
    }

    private boolean isMemoryRight(MemoryTable memory, LiveFault kind, String replica) {
        memory.lines().forEach(out::println);
        out.println();
        boolean isKv = kind == LiveFault.KV_PRESSURE;
        String subject = isKv ? replica : "GPU-simulated-" + replica;
        String alert = isKv ? "memory:kv_cache/" + replica : "fragmentation:memory/" + subject + "/none";
        boolean isAlone =
                memory.struck().equals(Set.of(subject)) && memory.alerts().equals(Set.of(alert));
        out.println(
                isAlone
                        ? "the alert " + alert + " was opened, and no other"
                        : "NOT " + alert + " ALONE: struck " + memory.struck() + ", alerts " + memory.alerts());
        return isAlone;
    }

    private LiveTrace trace(LiveFault kind) {
        LiveTrace shipped = LiveTrace.shipped(data);
        return kind == LiveFault.KV_PRESSURE ? shipped.withPromptsUpTo(LONGEST_PROMPT_OF_MEMORY) : shipped;
    }

    private static boolean isSeen(ReplicaTable table, String faulty) {
        for (int i = 0; i < REPLICAS; i++) {
            String replica = "replica-" + i;
            boolean hasGrown = table.growth(replica, 0.99) >= GROWTH;
            if (hasGrown != replica.equals(faulty)) {
                return false;
            }
        }
        return true;
    }

    private void runUntil(Instant moment, InfluxReader reader, Instant begin, LiveTraffic traffic)
            throws InterruptedException {
        Instant nextReport = Instant.now();
        while (Instant.now().isBefore(moment)) {
            if (!Instant.now().isBefore(nextReport)) {
                nextReport = nextReport.plusSeconds(15);
                report(reader, begin, traffic);
            }
            Duration left = Duration.between(Instant.now(), moment);
            Thread.sleep(Math.max(0, Math.min(LOOK.toMillis(), left.toMillis())));
        }
    }

    private void report(InfluxReader reader, Instant begin, LiveTraffic traffic) {
        try {
            say(PROGRESS.formatted(
                    DateTimeFormatter.ISO_LOCAL_TIME.format(
                            Instant.now().truncatedTo(ChronoUnit.SECONDS).atOffset(ZoneOffset.UTC)),
                    "%,d".formatted(traffic.sent()),
                    "%,d".formatted(traffic.sent() - traffic.ended()),
                    "%,d".formatted(stored(reader, begin)),
                    latest(reader, begin)));
        } catch (InfluxUnavailableException e) {
            say(String.valueOf(e.getMessage()));
        }
    }

    /** The median TTFT of each replica in its last window of ten seconds. */
    private static String latest(InfluxReader reader, Instant begin) {
        List<String> medians = new ArrayList<>();
        for (InfluxSeries series : reader.query(
                RetentionPolicy.R10S,
                "SELECT last(ttft_p50_seconds) AS p50 FROM \"request\" WHERE \"view\" = 'replica-version' AND time > "
                        + ChronoUnit.MICROS.between(Instant.EPOCH, begin) + "u GROUP BY \"replica\"")) {
            for (InfluxRow row : series.rows()) {
                row.real("p50")
                        .ifPresent(seconds -> medians.add(String.format(
                                Locale.ROOT, "%s %.3f s", series.tags().getOrDefault("replica", ""), seconds)));
            }
        }
        return medians.isEmpty() ? "none yet" : String.join("   ", medians);
    }

    /** The last windows end once heartbeats have brought event time past them. */
    private static boolean settle(InfluxReader reader, Instant begin, LiveTraffic traffic) throws InterruptedException {
        Instant patience = Instant.now().plus(SETTLING);
        while (Instant.now().isBefore(patience)) {
            if (traffic.ended() == traffic.sent() && stored(reader, begin) >= traffic.sent()) {
                return stored(reader, begin) == traffic.sent();
            }
            Thread.sleep(LOOK.toMillis());
        }
        return false;
    }

    /** Requests by the sum over the fleet's windows of ten seconds. */
    private static long stored(InfluxReader reader, Instant begin) {
        long sum = 0;
        for (InfluxSeries series : reader.query(
                RetentionPolicy.R10S,
                "SELECT sum(requests) AS requests FROM \"request\" WHERE \"view\" = 'fleet' AND time > "
                        + ChronoUnit.MICROS.between(Instant.EPOCH, begin) + "u")) {
            for (InfluxRow row : series.rows()) {
                sum += row.integer("requests").orElse(0);
            }
        }
        return sum;
    }

    private static Instant minuteAfter(Instant moment) {
        return moment.truncatedTo(ChronoUnit.MINUTES).plus(1, ChronoUnit.MINUTES);
    }

    private static String time(Instant moment) {
        return moment.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private void say(String line) {
        out.println(line);
        out.flush();
    }
}
