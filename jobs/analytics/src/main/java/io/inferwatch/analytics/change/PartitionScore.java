package io.inferwatch.analytics.change;

import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * How well a partition of a series agrees with those of several people who may disagree, by the measures of the Turing Change Point Dataset [van den Burg and Williams 2020, arXiv:2003.06222, 4].
 *
 * @param f1 of precision, against what any of them marked, and recall, averaged over them; a mark counts within five places, the series' first value is one of everybody's
 * @param cover mean over people of how well each of their segments is matched by one of the partition's (Jaccard), weighted by its length
 */
public record PartitionScore(double f1, double cover) {
    private static final int MARGIN = 5;

    /**
     * Scores a partition.
     *
     * @param n values of the series
     * @param found where new levels begin
     * @param marked the same by each person, at least one
     */
    public static PartitionScore of(int n, Collection<Integer> found, List<List<Integer>> marked) {
        SortedSet<Integer> predicted = withFirst(found);
        SortedSet<Integer> anybody = new TreeSet<>();
        double recall = 0;
        double cover = 0;
        for (List<Integer> person : marked) {
            SortedSet<Integer> theirs = withFirst(person);
            anybody.addAll(theirs);
            recall += (double) met(theirs, predicted) / theirs.size() / marked.size();
            cover += cover(n, theirs, predicted) / marked.size();
        }
        double precision = (double) met(anybody, predicted) / predicted.size();
        return new PartitionScore(2 * precision * recall / (precision + recall), cover);
    }

    private static SortedSet<Integer> withFirst(Collection<Integer> places) {
        SortedSet<Integer> all = new TreeSet<>(places);
        all.add(0);
        return all;
    }

    /** Marks that have a place of the partition within the margin, each of which is used once. */
    private static int met(SortedSet<Integer> marks, SortedSet<Integer> predicted) {
        SortedSet<Integer> left = new TreeSet<>(predicted);
        int met = 0;
        for (int mark : marks) {
            Integer nearest = null;
            for (Integer place : left.subSet(mark - MARGIN, mark + MARGIN + 1)) {
                nearest = nearest == null || Math.abs(place - mark) < Math.abs(nearest - mark) ? place : nearest;
            }
            if (nearest != null) {
                left.remove(nearest);
                met++;
            }
        }
        return met;
    }

    private static double cover(int n, SortedSet<Integer> theirs, SortedSet<Integer> predicted) {
        double cover = 0;
        Iterator<Integer> ends = theirs.tailSet(1).iterator();
        for (int from : theirs) {
            int to = ends.hasNext() ? ends.next() : n;
            cover += (double) (to - from) / n * bestMatch(n, from, to, predicted);
        }
        return cover;
    }

    private static double bestMatch(int n, int from, int to, SortedSet<Integer> predicted) {
        double best = 0;
        Iterator<Integer> ends = predicted.tailSet(1).iterator();
        for (int other : predicted) {
            int end = ends.hasNext() ? ends.next() : n;
            double common = Math.min(to, end) - Math.max(from, other);
            best = Math.max(best, common / (Math.max(to, end) - Math.min(from, other)));
        }
        return best;
    }
}
