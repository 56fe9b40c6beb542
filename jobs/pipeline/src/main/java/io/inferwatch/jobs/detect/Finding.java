package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.state.StateReader;
import io.inferwatch.analytics.state.StateWriter;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Series that are anomalous together, from the first minute on that tells it until none of them is.
 *
 * @param labels what the series had in common when it was first told, as {@link Standing#labels} writes them: its identity
 * @param scope what they have in common by the widest look so far
 * @param sinceMicros begin of the first minute that told it
 * @param heardMillis end of the last minute in which one of them was anomalous
 * @param isAlerted whether an alert is open
 * @param series those that are not known to be in order again
 */
record Finding(String labels, String scope, long sinceMicros, long heardMillis, boolean isAlerted, Set<String> series) {
    private static final int VERSION = 1;

    Finding {
        series = Collections.unmodifiableSet(new TreeSet<>(series));
    }

    /** Its name in points and alerts. */
    String id() {
        return labels.isEmpty() ? "fleet" : labels.replace('\n', ',');
    }

    /** Whether what is in common goes on with it: it has one of its series, or is what it began as. */
    boolean isContinuedBy(Look.Common common) {
        return labels.equals(common.labels()) || !Collections.disjoint(series, common.series());
    }

    /** Whether it takes in more than any look so far: fewer labels, all of them the same. */
    boolean isWidenedBy(Look.Common common) {
        Map<String, String> present = Standing.labels(scope);
        Map<String, String> other = Standing.labels(common.labels());
        return other.size() < present.size() && present.entrySet().containsAll(other.entrySet());
    }

    Finding with(String newScope, long newHeardMillis, boolean isNowAlerted, Set<String> newSeries) {
        return new Finding(labels, newScope, sinceMicros, newHeardMillis, isNowAlerted, newSeries);
    }

    byte[] toBytes() {
        StateWriter out = new StateWriter();
        out.octet(VERSION);
        Look.write(labels, out);
        Look.write(scope, out);
        out.signed(sinceMicros);
        out.signed(heardMillis);
        out.octet(isAlerted ? 1 : 0);
        Look.write(series, out);
        return out.toBytes();
    }

    static Finding ofBytes(byte[] bytes) {
        StateReader in = new StateReader(bytes);
        int version = in.octet();
        if (version != VERSION) {
            throw new IllegalArgumentException("finding: version must be " + VERSION + ", found " + version);
        }
        return new Finding(Look.text(in), Look.text(in), in.signed(), in.signed(), in.octet() == 1, Look.texts(in));
    }
}
