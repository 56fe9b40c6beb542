package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.anomaly.Scope;
import io.inferwatch.analytics.state.StateReader;
import io.inferwatch.analytics.state.StateWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What is out of order in a minute of all series.
 *
 * @param commons what anomalous series have in common, greatest first
 * @param recovered series that were anomalous a minute before and are no more
 */
record Look(List<Common> commons, Set<String> recovered) {
    private static final int VERSION = 1;
    private static final int MOST_SHOWN = 8;

    Look {
        commons = List.copyOf(commons);
        recovered = Collections.unmodifiableSet(new TreeSet<>(recovered));
    }

    /**
     * Anomalous series with what they have in common.
     *
     * @param labels that they have in common, as {@link Standing#labels} writes them
     * @param of how many series have these labels
     * @param series the anomalous ones
     * @param statistics how many statistics of theirs are
     * @param isLasting whether one of these has been told for two minutes
     * @param isPromoted whether one that is told may be an alert
     * @param shown results of some of them, those that are told first
     */
    record Common(
            String labels,
            int of,
            Set<String> series,
            int statistics,
            boolean isLasting,
            boolean isPromoted,
            List<byte[]> shown) {
        Common {
            series = Collections.unmodifiableSet(new TreeSet<>(series));
            shown = List.copyOf(shown);
        }

        private static Common of(Scope scope, List<Standing> members) {
            Set<String> series = new TreeSet<>();
            members.forEach(member -> series.add(member.series()));
            List<Standing> toldFirst = new ArrayList<>(members);
            toldFirst.sort((one, other) -> Boolean.compare(other.told(), one.told()));
            return new Common(
                    Standing.text(scope.labels()),
                    scope.series(),
                    series,
                    members.size(),
                    members.stream().anyMatch(Standing::lasting),
                    members.stream().anyMatch(member -> member.told() && member.promoted()),
                    toldFirst.stream().limit(MOST_SHOWN).map(Standing::result).toList());
        }
    }

    /** Looks at all that stand in one minute. A series is anomalous when one of its statistics is. */
    static Look at(Iterable<Standing> standings) {
        Map<String, List<Standing>> bySeries = new TreeMap<>();
        standings.forEach(one ->
                bySeries.computeIfAbsent(one.series(), key -> new ArrayList<>()).add(one));
        List<Scope.Subject> subjects = new ArrayList<>();
        Map<Map<String, String>, List<Standing>> anomalous = new HashMap<>();
        Set<String> recovered = new TreeSet<>();
        bySeries.forEach((series, all) -> {
            Map<String, String> labels = Standing.labels(all.get(0).labels());
            List<Standing> out = all.stream().filter(Standing::anomalous).toList();
            subjects.add(new Scope.Subject(labels, !out.isEmpty()));
            if (!out.isEmpty()) {
                anomalous.computeIfAbsent(labels, key -> new ArrayList<>()).addAll(out);
            } else if (all.stream().anyMatch(Standing::recovered)) {
                recovered.add(series);
            }
        });
        List<Common> commons = new ArrayList<>();
        if (!anomalous.isEmpty()) {
            for (Scope scope : Scope.of(subjects)) {
                commons.add(Common.of(scope, take(scope, anomalous)));
            }
        }
        return new Look(commons, recovered);
    }

    private static List<Standing> take(Scope scope, Map<Map<String, String>, List<Standing>> anomalous) {
        List<Standing> members = new ArrayList<>();
        anomalous.entrySet().removeIf(entry -> {
            boolean isMember =
                    entry.getKey().entrySet().containsAll(scope.labels().entrySet());
            if (isMember) {
                members.addAll(entry.getValue());
            }
            return isMember;
        });
        return members;
    }

    /** Whether there is anything to tell. */
    boolean isEmpty() {
        return commons.isEmpty() && recovered.isEmpty();
    }

    byte[] toBytes() {
        StateWriter out = new StateWriter();
        out.octet(VERSION);
        out.number(commons.size());
        for (Common common : commons) {
            write(common.labels, out);
            out.number(common.of);
            write(common.series, out);
            out.number(common.statistics);
            out.octet((common.isLasting ? 1 : 0) + (common.isPromoted ? 2 : 0));
            out.number(common.shown.size());
            common.shown.forEach(out::part);
        }
        write(recovered, out);
        return out.toBytes();
    }

    static Look ofBytes(byte[] bytes) {
        StateReader in = new StateReader(bytes);
        int version = in.octet();
        if (version != VERSION) {
            throw new IllegalArgumentException("look: version must be " + VERSION + ", found " + version);
        }
        List<Common> commons = new ArrayList<>();
        for (long i = in.number(); i > 0; i--) {
            String labels = text(in);
            int of = (int) in.number();
            Set<String> series = texts(in);
            int statistics = (int) in.number();
            int flags = in.octet();
            List<byte[]> shown = new ArrayList<>();
            for (long j = in.number(); j > 0; j--) {
                shown.add(in.part());
            }
            commons.add(new Common(labels, of, series, statistics, (flags & 1) != 0, (flags & 2) != 0, shown));
        }
        return new Look(commons, texts(in));
    }

    static void write(Collection<String> texts, StateWriter out) {
        out.number(texts.size());
        texts.forEach(text -> write(text, out));
    }

    static void write(String text, StateWriter out) {
        out.part(text.getBytes(StandardCharsets.UTF_8));
    }

    static Set<String> texts(StateReader in) {
        Set<String> texts = new TreeSet<>();
        for (long i = in.number(); i > 0; i--) {
            texts.add(text(in));
        }
        return texts;
    }

    static String text(StateReader in) {
        return new String(in.part(), StandardCharsets.UTF_8);
    }
}
