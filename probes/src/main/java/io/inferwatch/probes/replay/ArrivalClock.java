package io.inferwatch.probes.replay;

import io.inferwatch.probes.replay.TraceOptions.OnBackwardTime;
import java.math.BigDecimal;

/** The arrival times of one file in its order; deals with a clock that steps back. */
final class ArrivalClock {
    private final OnBackwardTime rule;
    private final TraceRows rows;
    private long shiftMicros;
    private long formerMicros = Long.MIN_VALUE;

    ArrivalClock(OnBackwardTime rule, TraceRows rows) {
        this.rule = rule;
        this.rows = rows;
    }

    /** The time at which the row with this recorded time arrives, microseconds. */
    long arrival(long recordedMicros, String where) {
        if (recordedMicros < formerMicros) {
            rows.warn("%s: time falls from %s s to %s s: %s"
                    .formatted(
                            where,
                            seconds(formerMicros),
                            seconds(recordedMicros),
                            rule == OnBackwardTime.SORT ? "rows are sorted by time" : "a new epoch begins there"));
            if (rule == OnBackwardTime.NEW_EPOCH) {
                shiftMicros += formerMicros - recordedMicros;
            }
        }
        formerMicros = recordedMicros;
        return recordedMicros + shiftMicros;
    }

    private static String seconds(long micros) {
        return BigDecimal.valueOf(micros, 6).stripTrailingZeros().toPlainString();
    }
}
