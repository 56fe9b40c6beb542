package io.inferwatch.analytics.drift;

import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.analytics.drift.Sample.Values;
import io.inferwatch.analytics.drift.StateBytes.Reader;
import io.inferwatch.analytics.drift.StateBytes.Writer;
import io.inferwatch.analytics.mix.TrafficMix;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * What is remembered of one statistic of one key, so that each window that ends can be judged against those before it.
 *
 * <ul>
 *   <li><b>Units.</b> Windows are gathered until they hold enough values for the statistic (368 for P99), at most {@value #MAX_WINDOWS}.
 *       All that follows counts in such units: one window where there is traffic enough. Sixteen windows that together are too few
 *       are said to be not estimable, and join the baseline's values without being one of its windows.
 *   <li><b>Looks.</b> A unit is judged by itself and then, while nothing can be said of the server, as the last of 2, 4, 8 and
 *       {@value #MAX_UNITS} units, each group beginning where the one before has ended: so every unit is looked at at most five times
 *       and the groups are made by two merges a unit. Each look that could be tested has half the chance of a false alarm of that before it.
 *   <li><b>Baseline.</b> Groups of {@value #MAX_UNITS} that have been looked at join a pool of the last {@value #GENERATION} to twice as
 *       many units; the first twelve join it at once. The same hour of earlier days takes its place where the caller has enough of it.
 *   <li><b>Drift does not become normal by itself.</b> Units that drifted, and all that are judged while two of the last three did,
 *       stay out of the baseline. When that has lasted an hour the pool starts anew with them: {@link Step#rebased}.
 *   <li><b>Bursts</b> ({@link Burst}) are not united with what was before them.
 *   <li><b>Design effect.</b> From short panes, by {@link io.inferwatch.analytics.quantile.DesignEffect}'s statistic within each window
 *       with its own share of slow requests, summed over windows; what is remembered halves from {@value #MAX_FREEDOM} degrees of freedom on.
 * </ul>
 *
 * <p>State: {@link #toBytes}; at most two generations, four groups and the shifted pool, seven samples of typically 0.7 kB for each kind
 * of traffic, and 8 bytes a unit. Not thread safe.
 */
public final class DriftHistory {
    static final int MAX_WINDOWS = 16;
    static final int MAX_UNITS = 16;
    static final int GENERATION = 30;
    static final int MAX_FREEDOM = 300;

    private static final Duration REBASE_AFTER = Duration.ofHours(1);
    private static final int VERSION = 1;
    private static final int COUNTS = 36;
    private static final int MIN_FREEDOM = 11;
    private static final int PANE_FIELDS = 3;
    private static final long NEVER = Long.MIN_VALUE;

    private final long windowMicros;
    private long lastEndMicros = NEVER;
    private long regimeStartMicros = NEVER;
    private long driftSinceMicros = NEVER;
    private Persistence persistence = Persistence.NONE;
    private PastPool older = PastPool.EMPTY;
    private PastPool younger = PastPool.EMPTY;
    private PastPool shifted = PastPool.EMPTY;
    private PastPool pending = PastPool.EMPTY;
    private int pendingWindows;
    private final List<Group> groups = new ArrayList<>();
    private long[] counts = new long[0];
    private int tailBucket = -1;
    private double tailStatistic;
    private int tailFreedom;
    private long[] panes = new long[0];

    /**
     * Units in a row, the largest group first; sizes are different powers of two.
     *
     * @param windows over all units
     * @param looks how many looks have been taken at its units, of those that could be tested
     */
    private record Group(PastPool content, int units, int windows, int looks, boolean hasDrifted) {
        Group plus(Group younger) {
            return new Group(
                    content.plus(younger.content),
                    units + younger.units,
                    windows + younger.windows,
                    Math.max(looks, younger.looks),
                    hasDrifted || younger.hasDrifted);
        }
    }

    /**
     * What a window has led to.
     *
     * @param judged the verdict; empty while windows are gathered, and for the first ones, which have nothing to be compared with
     * @param settled windows that are baseline from now on, for the pool of their hour class; often empty
     * @param rebased whether a drift has become the baseline
     */
    public record Step(Optional<Judged> judged, PastPool settled, boolean rebased) {}

    /**
     * Before the first window.
     *
     * @param window length of every window
     */
    public DriftHistory(Duration window) {
        this.windowMicros = window.toNanos() / 1_000;
    }

    /** End of the last window that was taken, epoch microseconds; earlier ones are not wanted any more. */
    public long lastEndMicros() {
        return lastEndMicros;
    }

    /** Since when windows are like the present ones: pools of hour classes from before it are not to be given. */
    public long regimeStartMicros() {
        return regimeStartMicros;
    }

    /** The bucket above which values are the baseline's tail; empty until there is a baseline of values. */
    public OptionalInt tailBucket() {
        return tailBucket < 0 ? OptionalInt.empty() : OptionalInt.of(tailBucket);
    }

    /**
     * Takes in a short pane of the window that runs, or a part of one.
     *
     * @param n its values
     * @param above how many of them are above the {@link #tailBucket}
     */
    public void addPane(long endMicros, long n, long above) {
        if (endMicros <= lastEndMicros) {
            return;
        }
        for (int i = 0; i < panes.length; i += PANE_FIELDS) {
            if (panes[i] == endMicros) {
                panes[i + 1] += n;
                panes[i + 2] += above;
                return;
            }
        }
        panes = Arrays.copyOf(panes, panes.length + PANE_FIELDS);
        panes[panes.length - 3] = endMicros;
        panes[panes.length - 2] = n;
        panes[panes.length - 1] = above;
    }

    /**
     * Takes in the next window and judges it.
     *
     * @param endMicros after that of the window before; others are to be left out by the caller
     * @param hourClass the same hour of earlier days, where it is known
     */
    public Step observe(
            Sample window, long endMicros, Optional<PastPool> hourClass, Statistic statistic, DriftRule rule) {
        if (endMicros <= lastEndMicros) {
            throw new IllegalArgumentException("endMicros: must be after " + lastEndMicros + ", found " + endMicros);
        }
        List<PastPool> settled = new ArrayList<>();
        boolean isCut = isCut(window, endMicros);
        lastEndMicros = endMicros;
        takePanes(endMicros);
        if (isCut) {
            settleAll(settled);
        }
        pending = pending.plus(PastPool.of(window));
        pendingWindows++;
        boolean isUnit = pending.sample().n() >= statistic.leastN(rule);
        if (!isUnit && pendingWindows < MAX_WINDOWS) {
            return new Step(Optional.empty(), sum(settled), false);
        }
        Sample unit = pending.sample();
        int windows = pendingWindows;
        pending = PastPool.EMPTY;
        pendingWindows = 0;
        OptionalDouble score = isUnit ? statistic.score(unit) : OptionalDouble.empty();
        Group group = new Group(
                score.isPresent() ? PastPool.of(unit, score.getAsDouble()) : PastPool.of(unit), 1, windows, 0, false);
        Optional<Judged> judged = judge(group, hourClass, statistic, rule, settled);
        judged.ifPresent(verdict -> note(verdict, endMicros));
        boolean isRebased = rebase(endMicros);
        return new Step(judged, sum(settled), isRebased);
    }

    private Optional<Judged> judge(
            Group unit, Optional<PastPool> hourClass, Statistic statistic, DriftRule rule, List<PastPool> settled) {
        PastPool recent = older.plus(younger);
        boolean isByHourClass =
                hourClass.filter(pool -> pool.windows() >= rule.minWindows()).isPresent();
        PastPool baseline = isByHourClass ? hourClass.get() : recent;
        if (baseline.isEmpty()) {
            settle(unit, settled);
            return Optional.empty();
        }
        Looker looker = new Looker(baseline, isByHourClass, statistic, rule);
        Judged judged = looker.look(unit);
        Group group = unit;
        if (judged.raw().verdict() != Verdict.NOT_ESTIMABLE) {
            group = looked(group);
        }
        boolean isLearning = recent.windows() < rule.minWindows() || unit.content.windows() == 0;
        if (isLearning) {
            settle(marked(group, judged), settled);
            return Optional.of(judged);
        }
        while (!groups.isEmpty() && groups.get(groups.size() - 1).units == group.units) {
            group = groups.remove(groups.size() - 1).plus(marked(group, judged));
            if (isOpen(judged)) {
                Judged next = looker.look(group);
                if (next.raw().verdict() != Verdict.NOT_ESTIMABLE) {
                    group = looked(group);
                }
                judged = next;
            }
        }
        group = marked(group, judged);
        if (group.units >= MAX_UNITS) {
            settle(group, settled);
        } else {
            groups.add(group);
        }
        return Optional.of(judged);
    }

    private static boolean isOpen(Judged judged) {
        Verdict verdict = judged.server().verdict();
        return verdict == Verdict.INCONCLUSIVE || verdict == Verdict.NOT_ESTIMABLE;
    }

    private static Group looked(Group group) {
        return new Group(group.content, group.units, group.windows, group.looks + 1, group.hasDrifted);
    }

    private static Group marked(Group group, Judged judged) {
        return judged.server().verdict() == Verdict.DRIFT
                ? new Group(group.content, group.units, group.windows, group.looks, true)
                : group;
    }

    /** Looks at groups of units with one baseline. */
    private final class Looker {
        private final PastPool baseline;
        private final boolean isByHourClass;
        private final Statistic statistic;
        private final DriftRule rule;
        private final double designEffect = designEffect();
        private final Statistic.Against against;
        private final @Nullable PastWindows past;
        private final OptionalDouble baselineScore;

        Looker(PastPool baseline, boolean isByHourClass, Statistic statistic, DriftRule rule) {
            this.baseline = baseline;
            this.isByHourClass = isByHourClass;
            this.statistic = statistic;
            this.rule = rule;
            this.against = statistic.against(baseline.sample(), designEffect, rule);
            this.past =
                    PastWindows.of(statistic.scale(), baseline.scores(), rule).orElse(null);
            this.baselineScore = statistic.score(baseline.sample());
            if (statistic instanceof Statistic.Quantile quantile && baseline.sample() instanceof Values values) {
                QuantileSketch total = values.total();
                tailBucket = total.n() == 0 ? -1 : Math.max(0, total.bucketOfRank(total.rankOf(quantile.q())));
            }
        }

        Judged look(Group group) {
            Sample current = group.content.sample();
            int times = 2 << group.looks;
            Finding raw = finding(against.compare(current), statistic.score(current), times);
            if (current instanceof Values now
                    && baseline.sample() instanceof Values then
                    && statistic instanceof Statistic.Quantile quantile
                    && isMixed(then, now)) {
                TrafficMix mix = TrafficMix.of(then.byBucket(), now.byBucket());
                Comparison comparison = mix.adjusted(quantile.q(), designEffect, rule);
                return new Judged(
                        group.windows,
                        isByHourClass,
                        raw,
                        finding(comparison, adjustedScore(comparison), times),
                        current,
                        baseline.sample(),
                        mix.ofQuantile(quantile.q()).orElse(null),
                        mix.ofMean().orElse(null),
                        mix.covered());
            }
            return new Judged(group.windows, isByHourClass, raw, null, current, baseline.sample(), null, null, 1);
        }

        private Finding finding(Comparison comparison, OptionalDouble score, int times) {
            if (!(comparison instanceof Measured measured)) {
                return Finding.of(comparison, null, rule);
            }
            PredictionInterval between = past == null || score.isEmpty() ? null : past.place(score.getAsDouble());
            return Finding.of(measured.looked(times), between, rule);
        }

        /** Where the quantile would be among past windows, had the mix stayed. */
        private OptionalDouble adjustedScore(Comparison comparison) {
            return comparison instanceof Measured measured && baselineScore.isPresent()
                    ? OptionalDouble.of(
                            baselineScore.getAsDouble() + measured.scale().toScore(measured.change()))
                    : OptionalDouble.empty();
        }

        private static boolean isMixed(Values then, Values now) {
            return then.byBucket().size() > 1
                    || now.byBucket().size() > 1
                    || !then.byBucket().keySet().equals(now.byBucket().keySet());
        }
    }

    private void note(Judged judged, long endMicros) {
        Persistence after = persistence.after(judged.server().verdict());
        if (after.recent() != 0 && driftSinceMicros == NEVER) {
            driftSinceMicros = endMicros - judged.windows() * windowMicros;
        } else if (after.recent() == 0) {
            driftSinceMicros = NEVER;
        }
        if (persistence.confirmed() && !after.confirmed()) {
            shifted = PastPool.EMPTY;
        }
        persistence = after;
    }

    private boolean rebase(long endMicros) {
        if (!persistence.confirmed()
                || endMicros - driftSinceMicros < REBASE_AFTER.toNanos() / 1_000
                || shifted.isEmpty()) {
            return false;
        }
        older = PastPool.EMPTY;
        younger = shifted;
        shifted = PastPool.EMPTY;
        groups.replaceAll(group -> new Group(group.content, group.units, group.windows, group.looks, false));
        regimeStartMicros = driftSinceMicros;
        driftSinceMicros = NEVER;
        persistence = Persistence.NONE;
        return true;
    }

    /** Gives a group to the baseline; one that has drifted only to what may become one. */
    private void settle(Group group, List<PastPool> settled) {
        if (persistence.confirmed()) {
            shifted = shifted.plus(group.content);
        } else if (!group.hasDrifted) {
            younger = younger.plus(group.content);
            if (younger.windows() >= GENERATION) {
                older = younger;
                younger = PastPool.EMPTY;
            }
            settled.add(group.content);
        }
    }

    private void settleAll(List<PastPool> settled) {
        groups.forEach(group -> settle(group, settled));
        groups.clear();
        if (!pending.isEmpty()) {
            settle(new Group(pending, 0, pendingWindows, 0, false), settled);
            pending = PastPool.EMPTY;
            pendingWindows = 0;
        }
    }

    /** Whether the window is not to be united with those before: traffic has just changed abruptly, or was away for long. */
    private boolean isCut(Sample window, long endMicros) {
        boolean isGap = lastEndMicros != NEVER && endMicros - lastEndMicros > MAX_WINDOWS * windowMicros;
        if (isGap) {
            counts = new long[0];
        }
        long[] all = Arrays.copyOf(counts, counts.length + 1);
        all[counts.length] = window.n();
        int start = Burst.lastStart(all);
        boolean isBurst = start > 0;
        int from = isBurst ? start : Math.max(0, all.length - COUNTS);
        counts = Arrays.copyOfRange(all, from, all.length);
        return isGap || isBurst;
    }

    /** Adds what the panes of the window that ended say of how much requests resemble each other. */
    private void takePanes(long endMicros) {
        long n = 0;
        long above = 0;
        int filled = 0;
        for (int i = 0; i < panes.length; i += PANE_FIELDS) {
            if (panes[i] <= endMicros && panes[i] > endMicros - windowMicros && panes[i + 1] > 0) {
                n += panes[i + 1];
                above += panes[i + 2];
                filled++;
            }
        }
        if (filled > 1 && above > 0 && above < n) {
            double share = (double) above / n;
            for (int i = 0; i < panes.length; i += PANE_FIELDS) {
                if (panes[i] <= endMicros && panes[i] > endMicros - windowMicros && panes[i + 1] > 0) {
                    double expected = panes[i + 1] * share;
                    double excess = panes[i + 2] - expected;
                    tailStatistic += excess * excess / (expected * (1 - share));
                }
            }
            tailFreedom += filled - 1;
            if (tailFreedom > MAX_FREEDOM) {
                tailStatistic /= 2;
                tailFreedom /= 2;
            }
        }
        long[] later = new long[panes.length];
        int length = 0;
        for (int i = 0; i < panes.length; i += PANE_FIELDS) {
            if (panes[i] > endMicros) {
                System.arraycopy(panes, i, later, length, PANE_FIELDS);
                length += PANE_FIELDS;
            }
        }
        panes = Arrays.copyOf(later, length);
    }

    /** How many requests tell as much as one independent one; 1 while too few panes were seen. */
    double designEffect() {
        return tailFreedom < MIN_FREEDOM ? 1 : Math.max(1, tailStatistic / tailFreedom);
    }

    private static PastPool sum(List<PastPool> pools) {
        PastPool sum = PastPool.EMPTY;
        for (PastPool pool : pools) {
            sum = sum.plus(pool);
        }
        return sum;
    }

    /** The state's bytes. */
    public byte[] toBytes() {
        Writer out = new Writer();
        out.octet(VERSION);
        out.number(windowMicros);
        out.signed(lastEndMicros);
        out.signed(regimeStartMicros);
        out.signed(driftSinceMicros);
        out.octet(persistence.toByte());
        older.write(out);
        younger.write(out);
        shifted.write(out);
        pending.write(out);
        out.number(pendingWindows);
        out.number(groups.size());
        for (Group group : groups) {
            group.content.write(out);
            out.number(group.units);
            out.number(group.windows);
            out.number(group.looks);
            out.octet(group.hasDrifted ? 1 : 0);
        }
        out.number(counts.length);
        for (long count : counts) {
            out.number(count);
        }
        out.signed(tailBucket);
        out.real(tailStatistic);
        out.number(tailFreedom);
        out.number(panes.length);
        for (long value : panes) {
            out.number(value);
        }
        return out.toBytes();
    }

    /**
     * The history that those bytes hold.
     *
     * @throws IllegalArgumentException when another version wrote them
     */
    public static DriftHistory ofBytes(byte[] bytes) {
        Reader in = new Reader(bytes);
        int version = in.octet();
        if (version != VERSION) {
            throw new IllegalArgumentException("drift history: version must be " + VERSION + ", found " + version);
        }
        DriftHistory history = new DriftHistory(Duration.ofNanos(1_000 * in.number()));
        history.lastEndMicros = in.signed();
        history.regimeStartMicros = in.signed();
        history.driftSinceMicros = in.signed();
        history.persistence = Persistence.ofByte((byte) in.octet());
        history.older = PastPool.read(in);
        history.younger = PastPool.read(in);
        history.shifted = PastPool.read(in);
        history.pending = PastPool.read(in);
        history.pendingWindows = (int) in.number();
        for (long left = in.number(); left > 0; left--) {
            history.groups.add(new Group(
                    PastPool.read(in), (int) in.number(), (int) in.number(), (int) in.number(), in.octet() == 1));
        }
        history.counts = new long[(int) in.number()];
        Arrays.setAll(history.counts, i -> in.number());
        history.tailBucket = (int) in.signed();
        history.tailStatistic = in.real();
        history.tailFreedom = (int) in.number();
        history.panes = new long[(int) in.number()];
        Arrays.setAll(history.panes, i -> in.number());
        return history;
    }
}
