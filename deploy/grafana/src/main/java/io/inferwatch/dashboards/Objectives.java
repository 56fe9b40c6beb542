package io.inferwatch.dashboards;

/**
 * What charts measure latencies and errors against: for the latencies the limits of MLPerf Inference for Llama 2 70B in the scenario "Server". For other objectives, change them and
 * make the dashboards again.
 */
final class Objectives {
    static final double TTFT_P99_SECONDS = 2.0;
    static final double TPOT_P99_SECONDS = 0.2;
    static final double ERROR_RATIO = 0.01;
    static final double GOOD_RATIO = 0.99;

    private Objectives() {}
}
