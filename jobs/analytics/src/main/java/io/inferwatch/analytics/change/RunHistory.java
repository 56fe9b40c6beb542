package io.inferwatch.analytics.change;

import io.inferwatch.analytics.change.Incident.Kind;
import io.inferwatch.analytics.change.Incident.State;
import io.inferwatch.analytics.state.StateReader;
import io.inferwatch.analytics.state.StateWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * All that is remembered of one figure of one series of runs, in bytes: the last {@value #MOST_RUNS} runs and the changes that were found in them. Each change is one incident, however often it is found
 * again and however its place moves with more runs; to acknowledge it makes its level the one that later runs are held against. A restart changes nothing. Memory: about 20 bytes a run, and its
 * commit's name. Not thread safe.
 */
public final class RunHistory {
    /** Runs that are remembered: a year and a half of nights, or a month of every commit of a busy repository; looked at anew after each, in a few milliseconds. */
    public static final int MOST_RUNS = 500;

    /** Runs by which the place of a change may move and still be the same change: one less than two changes are apart. */
    private static final int SAME_WITHIN = 5;

    private static final int VERSION = 1;

    private final ChangeRule rule;
    private final List<Run> runs = new ArrayList<>();
    private final List<Incident> incidents = new ArrayList<>();
    private long firstRun;
    private long nextId;

    /** Of a series without runs. */
    public RunHistory(ChangeRule rule) {
        this.rule = rule;
    }

    /**
     * What a run has brought.
     *
     * @param opened changes that are told now
     * @param closed incidents that were open, as they are now
     * @param suspect a level that may have begun within the last runs; calls nobody
     */
    public record News(List<Incident> opened, List<Incident> closed, Optional<Incident> suspect) {
        /** Copies. */
        public News {
            opened = List.copyOf(opened);
            closed = List.copyOf(closed);
        }
    }

    /** Takes a run; runs come in the order of their commits. */
    public News observe(Run run) {
        runs.add(run);
        if (runs.size() > MOST_RUNS) {
            forget(runs.size() - MOST_RUNS);
        }
        Look look = Look.of(runs, rule);
        List<Incident> found = look.confirmed(this::incident);
        List<Incident> before = List.copyOf(incidents);
        List<Incident> opened = new ArrayList<>();
        boolean[] isFound = new boolean[before.size()];
        for (Incident each : found) {
            int known = known(each, before, isFound);
            if (known < 0) {
                Incident fresh = each.withId(nextId++);
                incidents.add(fresh);
                opened.add(fresh);
            } else {
                isFound[known] = true;
                incidents.set(known, each.withId(before.get(known).id()));
            }
        }
        for (int i = 0; i < before.size(); i++) {
            // What was acknowledged is before the first run and cannot be found again.
            if (!isFound[i] && before.get(i).state() != State.ACKNOWLEDGED) {
                incidents.set(i, before.get(i).withState(State.WITHDRAWN));
            }
        }
        recover();
        List<Incident> closed = new ArrayList<>();
        for (int i = 0; i < before.size(); i++) {
            if (before.get(i).state() == State.OPEN && incidents.get(i).state() != State.OPEN) {
                closed.add(incidents.get(i));
            }
        }
        opened.replaceAll(fresh -> incidents.get(index(fresh.id())));
        return new News(opened, closed, look.suspect(this::incident));
    }

    /** Incidents whose level has come back: the last level is as good as that before them, within the least change that counts. */
    private void recover() {
        for (Kind kind : Kind.values()) {
            incidents.stream()
                    .filter(each -> each.kind() == kind && each.state() == State.OPEN)
                    .max(Comparator.comparingLong(Incident::at))
                    .ifPresent(last ->
                            incidents.replaceAll(each -> isBack(each, last) ? each.withState(State.RECOVERED) : each));
        }
    }

    private boolean isBack(Incident each, Incident last) {
        double away = each.change();
        double left = each.kind() == Kind.MODE_SHARE
                ? last.after() - each.before()
                : (last.after() - each.before()) / Math.abs(each.before());
        return each.kind() == last.kind()
                && each.state() == State.OPEN
                && each.at() < last.at()
                && left * Math.signum(away)
                        < Math.min(Math.abs(away) / 2, Math.max(rule.change().minChange(), 0));
    }

    private static int known(Incident found, List<Incident> before, boolean[] isFound) {
        int best = -1;
        for (int i = 0; i < before.size(); i++) {
            Incident other = before.get(i);
            if (!isFound[i]
                    && other.kind() == found.kind()
                    && other.state() != State.ACKNOWLEDGED
                    && found.earliest() - SAME_WITHIN <= other.latest()
                    && other.earliest() - SAME_WITHIN <= found.latest()
                    && (best < 0
                            || Math.abs(other.at() - found.at())
                                    < Math.abs(before.get(best).at() - found.at()))) {
                best = i;
            }
        }
        return best;
    }

    private Incident incident(Kind kind, boolean isBimodal, Change change) {
        List<String> suspects = runs.subList(change.earliest(), change.latest() + 1).stream()
                .map(Run::commit)
                .distinct()
                .toList();
        Step step = change.step();
        boolean isShare = kind == Kind.MODE_SHARE;
        return new Incident(
                -1,
                kind,
                isBimodal,
                State.OPEN,
                firstRun + change.at(),
                firstRun + change.earliest(),
                firstRun + change.latest(),
                isShare ? step.meanBefore() : step.before(),
                isShare ? step.meanAfter() : step.after(),
                step.p(),
                runs.get(change.earliest() - 1).commit(),
                suspects);
    }

    /** Incidents that are remembered, in the order in which they were found: as long as the runs at which they began, and acknowledged ones as long. */
    public List<Incident> incidents() {
        return List.copyOf(incidents);
    }

    /**
     * Takes the level after an incident as the one that later runs are held against. What was found before it is acknowledged with it.
     *
     * @return whether there is such an incident that has not been withdrawn
     */
    public boolean acknowledge(long id) {
        int index = index(id);
        if (index < 0
                || incidents.get(index).state() == State.WITHDRAWN
                || incidents.get(index).state() == State.ACKNOWLEDGED) {
            return false;
        }
        long at = incidents.get(index).at();
        incidents.replaceAll(
                each -> each.at() <= at && each.state() != State.WITHDRAWN ? each.withState(State.ACKNOWLEDGED) : each);
        runs.subList(0, (int) (at - firstRun)).clear();
        firstRun = at;
        return true;
    }

    private int index(long id) {
        for (int i = 0; i < incidents.size(); i++) {
            if (incidents.get(i).id() == id) {
                return i;
            }
        }
        return -1;
    }

    private void forget(int oldest) {
        runs.subList(0, oldest).clear();
        firstRun += oldest;
        incidents.removeIf(each -> each.at() < firstRun - (each.state() == State.ACKNOWLEDGED ? MOST_RUNS : 0));
    }

    /** Everything, in bytes. */
    public byte[] toBytes() {
        StateWriter out = new StateWriter();
        out.octet(VERSION);
        out.number(firstRun);
        out.number(nextId);
        out.number(runs.size());
        long micros = 0;
        String commit = "";
        for (Run run : runs) {
            out.signed(run.endAtMicros() - micros);
            // Repeats of a commit follow each other.
            text(out, run.commit().equals(commit) ? "" : run.commit());
            out.real(run.value());
            micros = run.endAtMicros();
            commit = run.commit();
        }
        out.number(incidents.size());
        for (Incident each : incidents) {
            out.number(each.id());
            out.octet(each.kind().ordinal());
            out.octet(each.isBimodal() ? 1 : 0);
            out.octet(each.state().ordinal());
            out.number(each.at());
            out.number(each.earliest());
            out.number(each.latest());
            out.real(each.before());
            out.real(each.after());
            out.real(each.p());
            text(out, each.lastGood());
            out.number(each.suspects().size());
            each.suspects().forEach(suspect -> text(out, suspect));
        }
        return out.toBytes();
    }

    /** What {@link #toBytes} has written. */
    public static RunHistory ofBytes(byte[] bytes, ChangeRule rule) {
        StateReader in = new StateReader(bytes);
        int version = in.octet();
        if (version != VERSION) {
            throw new IllegalArgumentException("state: must be of version " + VERSION + ", found " + version);
        }
        RunHistory history = new RunHistory(rule);
        history.firstRun = in.number();
        history.nextId = in.number();
        long micros = 0;
        String commit = "";
        for (long left = in.number(); left > 0; left--) {
            micros += in.signed();
            String other = text(in);
            commit = other.isEmpty() ? commit : other;
            history.runs.add(new Run(micros, commit, in.real()));
        }
        for (long left = in.number(); left > 0; left--) {
            history.incidents.add(new Incident(
                    in.number(),
                    Kind.values()[in.octet()],
                    in.octet() == 1,
                    State.values()[in.octet()],
                    in.number(),
                    in.number(),
                    in.number(),
                    in.real(),
                    in.real(),
                    in.real(),
                    text(in),
                    list((int) in.number(), i -> text(in))));
        }
        return history;
    }

    private static <T> List<T> list(int size, IntFunction<T> element) {
        List<T> list = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            list.add(element.apply(i));
        }
        return list;
    }

    private static void text(StateWriter out, String text) {
        out.part(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(StateReader in) {
        return new String(in.part(), StandardCharsets.UTF_8);
    }
}
