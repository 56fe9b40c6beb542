package io.inferwatch.analytics.panel;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;

/**
 * How much more often events follow when exposed, like compared with like: the ratio of risks over strata,
 * sum(a n0 / N) / sum(b n1 / N), with a events of n1 exposed trials and b of n0 others [Mantel and Haenszel 1959]. No model; a stratum with one
 * side alone counts for nothing. Errors are the jackknife's over clusters, computed exactly.
 */
public final class StratifiedRatio {
    private StratifiedRatio() {}

    /**
     * Trials that are alike.
     *
     * @param stratum of all that they are alike in
     * @param isExposed to what is studied
     * @param events from 0 to trials
     * @param trials at least 0
     */
    public record Cell(String stratum, boolean isExposed, long events, long trials) {
        /** Checks the numbers. */
        public Cell {
            if (events < 0 || events > trials) {
                throw new IllegalArgumentException(
                        "events: must be from 0 to the " + trials + " trials, found " + events);
            }
        }
    }

    /** Events and trials of one stratum. */
    private record Table(long exposedEvents, long exposed, long otherEvents, long others) {
        private static final Table NONE = new Table(0, 0, 0, 0);

        private static Table of(Cell cell) {
            return cell.isExposed
                    ? new Table(cell.events, cell.trials, 0, 0)
                    : new Table(0, 0, cell.events, cell.trials);
        }

        private Table plus(Table other, int sign) {
            return new Table(
                    exposedEvents + sign * other.exposedEvents,
                    exposed + sign * other.exposed,
                    otherEvents + sign * other.otherEvents,
                    others + sign * other.others);
        }

        private double above() {
            return exposed + others == 0 ? 0 : (double) exposedEvents * others / (exposed + others);
        }

        private double below() {
            return exposed + others == 0 ? 0 : (double) otherEvents * exposed / (exposed + others);
        }
    }

    /**
     * The logarithm of the ratio over the cells of all clusters; empty where one side has no events within common strata, also but for a single
     * cluster, and with fewer than two clusters that have trials.
     */
    public static Optional<Contrast> log(List<List<Cell>> clusters) {
        List<Map<String, Table>> byCluster =
                clusters.stream().map(StratifiedRatio::tables).toList();
        Map<String, Table> all =
                tables(clusters.stream().flatMap(Collection::stream).toList());
        OptionalDouble whole = log(all, Map.of());
        double[] influences = new double[clusters.size()];
        int telling = 0;
        for (int i = 0; i < influences.length; i++) {
            OptionalDouble without = log(all, byCluster.get(i));
            if (whole.isEmpty() || without.isEmpty()) {
                return Optional.empty();
            }
            influences[i] = whole.getAsDouble() - without.getAsDouble();
            telling += clusters.get(i).stream().anyMatch(cell -> cell.trials > 0) ? 1 : 0;
        }
        return telling < 2 ? Optional.empty() : Optional.of(new Contrast(whole.getAsDouble(), influences, telling));
    }

    private static Map<String, Table> tables(List<Cell> cells) {
        Map<String, Table> tables = new TreeMap<>();
        for (Cell cell : cells) {
            tables.merge(cell.stratum, Table.of(cell), (one, two) -> one.plus(two, 1));
        }
        return tables;
    }

    private static OptionalDouble log(Map<String, Table> all, Map<String, Table> without) {
        double above = 0;
        double below = 0;
        for (Map.Entry<String, Table> stratum : all.entrySet()) {
            Table table = stratum.getValue().plus(without.getOrDefault(stratum.getKey(), Table.NONE), -1);
            above += table.above();
            below += table.below();
        }
        return above > 0 && below > 0 ? OptionalDouble.of(Math.log(above / below)) : OptionalDouble.empty();
    }
}
