package io.inferwatch.analytics.drift;

import io.inferwatch.analytics.state.StateReader;
import io.inferwatch.analytics.state.StateWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * What is remembered of one statistic of one key, so that each window that ends can be judged against those before it.
 *
 * <ul>
 *   <li><b>Units.</b> Windows are gathered until they hold enough values for the statistic (368 for P99, times the design effect), at most {@value #MAX_WINDOWS}.
 *       All that follows counts in such units: one window where there is traffic enough. Sixteen windows that together are too few
 *       are said to be not estimable, and join the baseline's values without being one of its windows.
 *   <li><b>Looks.</b> A unit is judged by itself and then, while nothing can be said of the server, as the last of 2, 4, 8 and
 *       {@value #MAX_UNITS} units, each group beginning where the one before has ended: so every unit is looked at at most five times
 *       and the groups are made by one merge a unit. All looks together keep within the rule's alpha: see {@link Looker}. Units that have
 *       shown drift are not united any more, so that what told it does not tell it again.
 *   <li><b>Baseline.</b> Groups of {@value #MAX_UNITS} that have been looked at join a pool of the last {@value #GENERATION} to
 *       {@value #MOST} units; the first twelve join it at once. The same hour of earlier days takes its place where the caller has enough
 *       of it.
 *   <li><b>Drift does not become normal by itself.</b> From a look that shows drift on until {@link Persistence} has forgotten it, units
 *       stay out of the baseline. When drift has been confirmed and has lasted an hour, and enough units have been seen since, the pool
 *       starts anew with them: {@link Step#rebased}.
 *   <li><b>Bursts</b> ({@link Burst}) are not united with what was before them, from their second window on, nor is what comes after a
 *       gap of more than {@value #MAX_WINDOWS} windows.
 *   <li><b>Design effect.</b> From short panes of what was before, but for units that stay out of the baseline; see {@link #addPane}.
 * </ul>
 *
 * <p>State: {@link #toBytes}; at most the pool and its younger part, four groups, the units that stay out and those that are gathered: eight
 * samples of typically 0.7 kB for each kind of traffic, and 8 bytes a unit. Not thread safe.
 */
public final class DriftHistory {
    static final int MAX_WINDOWS = 16;
    static final int MAX_UNITS = 16;
    static final int GENERATION = 30;
    static final int MOST = 2 * (GENERATION - 1) + MAX_UNITS;

    private static final long REBASE_AFTER_MICROS = Duration.ofHours(1).toNanos() / 1_000;
    private static final int VERSION = 2;
    private static final long NEVER = Long.MIN_VALUE;

    private final long windowMicros;
    private long lastEndMicros = NEVER;
    private long regimeStartMicros = NEVER;
    private long driftSinceMicros = NEVER;
    private Persistence persistence = Persistence.NONE;

    /** The baseline. */
    private PastPool recent = PastPool.EMPTY;

    /** The part of the baseline that will be all of it when it has grown to a generation. */
    private PastPool younger = PastPool.EMPTY;

    /** Units since drift was first seen. */
    private PastPool outside = PastPool.EMPTY;

    /** Windows that are no unit yet. */
    private PastPool pending = PastPool.EMPTY;

    private int pendingWindows;

    /** The largest group first; all differ in size. */
    private final List<UnitGroup> groups = new ArrayList<>();

    /** Values of the latest windows, as far as traffic is like now. */
    private long[] counts = new long[0];

    private TailPanes tail = new TailPanes();

    /** What has joined the baseline in this step. */
    private PastPool settled = PastPool.EMPTY;

    /**
     * What a window has led to.
     *
     * @param judged the verdict; empty while windows are gathered, and for the first ones, which have nothing to be compared with
     * @param settled windows that have joined the baseline, for the pool of their hour class; often empty, and empty when a drift becomes
     *     the baseline, since pools of its day are not to be given any more: {@link DriftHistory#regimeStartMicros}
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
        return tail.bucket();
    }

    /**
     * Takes in a short pane of the window that runs, or a part of one. By {@link io.inferwatch.analytics.quantile.DesignEffect}'s statistic
     * panes tell how much requests resemble each other; until eleven degrees of freedom were seen they count as independent.
     *
     * @param n its values
     * @param above how many of them are above the {@link #tailBucket}
     */
    public void addPane(long endMicros, long n, long above) {
        if (endMicros > lastEndMicros) {
            tail.add(endMicros, n, above);
        }
    }

    /** How many requests tell as much as one independent one. */
    double designEffect() {
        return tail.designEffect();
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
        settled = PastPool.EMPTY;
        if (isCut(window, endMicros)) {
            settleAll();
            settle(pending);
            pending = PastPool.EMPTY;
            pendingWindows = 0;
        }
        lastEndMicros = endMicros;
        tail.endWindow(endMicros - windowMicros, endMicros);
        pending = pending.plus(PastPool.of(window));
        pendingWindows++;
        boolean isUnit = pending.sample().n() >= statistic.leastN(rule) * tail.designEffect();
        if (!isUnit && pendingWindows < MAX_WINDOWS) {
            return new Step(Optional.empty(), settled, false);
        }
        Optional<Judged> judged = judge(takeUnit(isUnit, statistic), hourClass, statistic, rule);
        judged.ifPresent(verdict -> note(verdict, endMicros));
        tail.learn(persistence.recent() == 0);
        return new Step(judged, settled, rebase(endMicros, rule));
    }

    private UnitGroup takeUnit(boolean isUnit, Statistic statistic) {
        Sample unit = pending.sample();
        OptionalDouble score = isUnit ? statistic.score(unit) : OptionalDouble.empty();
        PastPool content = score.isPresent() ? PastPool.of(unit, score.getAsDouble()) : pending;
        UnitGroup group = new UnitGroup(content, 1, pendingWindows, 0);
        pending = PastPool.EMPTY;
        pendingWindows = 0;
        return group;
    }

    private Optional<Judged> judge(UnitGroup unit, Optional<PastPool> hourClass, Statistic statistic, DriftRule rule) {
        boolean isByHourClass =
                hourClass.filter(pool -> pool.windows() >= rule.minWindows()).isPresent();
        PastPool baseline = isByHourClass ? hourClass.get() : recent;
        if (baseline.isEmpty()) {
            settle(unit.content());
            return Optional.empty();
        }
        Looker looker = new Looker(baseline, isByHourClass, statistic, tail.designEffect(), rule);
        tail.setBucket(looker.tailBucket());
        boolean isLearning =
                recent.windows() < rule.minWindows() || unit.content().windows() == 0;
        Judged judged = looker.look(unit);
        UnitGroup group = unit.looked(judged);
        while (!isLearning && !isDrift(judged) && lastIsOf(group.units())) {
            group = groups.remove(groups.size() - 1).plus(group);
            if (judged.server().verdict() != Verdict.NO_DRIFT) {
                judged = looker.look(group);
                group = group.looked(judged);
            }
        }
        if (isDrift(judged)) {
            settleAll();
            outside = outside.plus(group.content());
        } else if (isLearning || group.units() == MAX_UNITS) {
            settle(group.content());
        } else {
            groups.add(group);
        }
        return Optional.of(judged);
    }

    private boolean lastIsOf(int units) {
        return !groups.isEmpty() && groups.get(groups.size() - 1).units() == units;
    }

    private static boolean isDrift(Judged judged) {
        return judged.server().verdict() == Verdict.DRIFT;
    }

    private void note(Judged judged, long endMicros) {
        persistence = persistence.after(judged.server().verdict(), judged.units());
        if (persistence.recent() == 0) {
            driftSinceMicros = NEVER;
            outside = PastPool.EMPTY;
        } else if (driftSinceMicros == NEVER) {
            driftSinceMicros = endMicros - judged.windows() * windowMicros;
        }
    }

    private boolean rebase(long endMicros, DriftRule rule) {
        if (!persistence.confirmed() || endMicros - driftSinceMicros < REBASE_AFTER_MICROS) {
            return false;
        }
        PastPool since = outside;
        for (UnitGroup group : groups) {
            since = since.plus(group.content());
        }
        if (since.windows() < rule.minWindows()) {
            return false;
        }
        recent = PastPool.EMPTY;
        younger = PastPool.EMPTY;
        join(since);
        outside = PastPool.EMPTY;
        groups.clear();
        regimeStartMicros = driftSinceMicros;
        driftSinceMicros = NEVER;
        persistence = Persistence.NONE;
        return true;
    }

    /** Gives units to the baseline, or to what may become one. */
    private void settle(PastPool units) {
        if (persistence.recent() != 0) {
            outside = outside.plus(units);
        } else {
            join(units);
            settled = settled.plus(units);
        }
    }

    private void settleAll() {
        groups.forEach(group -> settle(group.content()));
        groups.clear();
    }

    private void join(PastPool units) {
        recent = recent.plus(units);
        younger = younger.plus(units);
        if (younger.windows() >= GENERATION) {
            recent = younger;
            younger = PastPool.EMPTY;
        }
    }

    /** Whether the window is not to be united with those before: traffic has just changed abruptly, or was away for long. */
    private boolean isCut(Sample window, long endMicros) {
        boolean isGap = lastEndMicros != NEVER && endMicros - lastEndMicros > MAX_WINDOWS * windowMicros;
        int kept = isGap ? 0 : Math.min(counts.length, Burst.MEMORY - 1);
        long[] now = Arrays.copyOfRange(counts, counts.length - kept, counts.length + 1);
        now[kept] = window.n();
        boolean isBurst = Burst.beginsBeforeLast(now);
        counts = isBurst ? Arrays.copyOfRange(now, now.length - 2, now.length) : now;
        return isGap || isBurst;
    }

    /** The state's bytes. */
    public byte[] toBytes() {
        StateWriter out = new StateWriter();
        out.octet(VERSION);
        out.number(windowMicros);
        out.signed(lastEndMicros);
        out.signed(regimeStartMicros);
        out.signed(driftSinceMicros);
        out.octet(persistence.toByte());
        recent.write(out);
        younger.write(out);
        outside.write(out);
        pending.write(out);
        out.number(pendingWindows);
        out.number(groups.size());
        groups.forEach(group -> group.write(out));
        out.numbers(counts);
        tail.write(out);
        return out.toBytes();
    }

    /**
     * The history that those bytes hold.
     *
     * @throws IllegalArgumentException when another version wrote them
     */
    public static DriftHistory ofBytes(byte[] bytes) {
        StateReader in = new StateReader(bytes);
        int version = in.octet();
        if (version != VERSION) {
            throw new IllegalArgumentException("drift history: version must be " + VERSION + ", found " + version);
        }
        DriftHistory history = new DriftHistory(Duration.ofNanos(1_000 * in.number()));
        history.lastEndMicros = in.signed();
        history.regimeStartMicros = in.signed();
        history.driftSinceMicros = in.signed();
        history.persistence = Persistence.ofByte((byte) in.octet());
        history.recent = PastPool.read(in);
        history.younger = PastPool.read(in);
        history.outside = PastPool.read(in);
        history.pending = PastPool.read(in);
        history.pendingWindows = (int) in.number();
        for (long left = in.number(); left > 0; left--) {
            history.groups.add(UnitGroup.read(in));
        }
        history.counts = in.numbers();
        history.tail = TailPanes.read(in);
        return history;
    }
}
