package io.inferwatch.dashboards;

import io.inferwatch.influx.RetentionPolicy;

/** The names under which verdicts on windows are stored: one point for each series, metric, statistic and end of a window. */
final class Findings {
    static final RetentionPolicy POLICY = RetentionPolicy.R1M;

    /** Comparison with a baseline in time. */
    static final String DRIFT = "drift";

    /** Which part of a change the traffic's mix explains. */
    static final String MIX = "mix";

    /** Comparison with a baseline that is not one of time: another version, pool, node. */
    static final String COMPARISON = "comparison";

    static final String METRIC = "metric";
    static final String STATISTIC = "statistic";
    static final String BASELINE = "baseline";

    static final String VERDICT = "verdict";
    static final String CHANGE = "change";
    static final String CHANGE_LOW = "change_low";
    static final String CHANGE_HIGH = "change_high";
    static final String ADJUSTED_VERDICT = "adjusted_verdict";
    static final String ADJUSTED = "adjusted_change";
    static final String MIX_SHARE = "mix_share";
    static final String LEAST_SEEN = "mde";
    static final String N = "n";
    static final String N_BASE = "n_base";
    static final String CURRENT = "current";
    static final String PAST = "past";
    static final String TOTAL_CHANGE = "total";
    static final String MIX_CHANGE = "mix";
    static final String RATE_CHANGE = "rate";
    static final String RATIO = "ratio";
    static final String LOW = "low";
    static final String HIGH = "high";

    private Findings() {}
}
