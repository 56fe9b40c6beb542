package io.inferwatch.jobs.detect;

import io.inferwatch.jobs.detect.MinuteHistory.Minute;
import org.apache.flink.api.common.state.MapState;

/** The histories of a subject's figures, by figure, as state. */
record Histories(MapState<String, byte[]> state) {
    /** Adds a minute to a figure's history; one that is no later than its last is left out. */
    MinuteHistory plus(String figure, long endMicros, double mean, double peak) throws Exception {
        MinuteHistory before = MinuteHistory.ofBytes(state.get(figure));
        if (endMicros <= before.lastEndMicros()) {
            return before;
        }
        MinuteHistory after = before.plus(new Minute(endMicros, Math.round(mean), Math.round(peak)));
        state.put(figure, after.toBytes());
        return after;
    }
}
