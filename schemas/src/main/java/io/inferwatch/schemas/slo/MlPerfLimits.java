package io.inferwatch.schemas.slo;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The limits of MLPerf Inference's server and interactive scenarios: P99 of the time to first token and of the time per output token. */
public enum MlPerfLimits {
    LLAMA2_70B(2_000, 200),
    LLAMA2_70B_INTERACTIVE(450, 40),
    LLAMA3_1_8B(2_000, 100),
    LLAMA3_1_8B_INTERACTIVE(500, 30),
    LLAMA3_1_405B(6_000, 175),
    LLAMA3_1_405B_INTERACTIVE(4_500, 80),
    MIXTRAL_8X7B(2_000, 200),
    DEEPSEEK_R1(2_000, 80),
    DEEPSEEK_R1_INTERACTIVE(1_500, 15),
    GPT_OSS_120B(3_000, 80),
    GPT_OSS_120B_INTERACTIVE(2_000, 20);

    private final int ttftMillis;
    private final int tpotMillis;

    MlPerfLimits(int ttftMillis, int tpotMillis) {
        this.ttftMillis = ttftMillis;
        this.tpotMillis = tpotMillis;
    }

    /** As users write it: {@code llama2-70b-interactive}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** All labels. */
    public static List<String> labels() {
        return Arrays.stream(values()).map(MlPerfLimits::label).toList();
    }

    /** The limits of that label. */
    public static Optional<MlPerfLimits> of(String label) {
        return Arrays.stream(values()).filter(one -> one.label().equals(label)).findFirst();
    }

    /**
     * Two SLOs with these limits, of 99 % of requests over 30 days, with the usual alerts.
     *
     * @param service whose promise it is
     * @param model of the catalogue's view {@code model-version}; empty for every model
     */
    public String openSlo(String service, Optional<String> model) {
        String where = model.map(name ->
                        ", where: {model: \"" + name.replace("\\", "\\\\").replace("\"", "\\\"") + "\"}")
                .orElse("");
        return slo("ttft", ttftMillis, service, where) + "---\n" + slo("tpot", tpotMillis, service, where);
    }

    private String slo(String metric, int millis, String service, String where) {
        return """
                apiVersion: openslo/v1
                kind: SLO
                metadata:
                  name: %1$s-%2$s
                  displayName: %5$s of %1$s as in MLPerf Inference
                spec:
                  service: "%4$s"
                  indicator:
                    metadata: {name: %1$s-%2$s-value}
                    spec:
                      thresholdMetric:
                        metricSource: {type: inferwatch, spec: {metric: %2$s, view: model-version, unit: ms%6$s}}
                  timeWindow:
                    - duration: 30d
                      isRolling: true
                  budgetingMethod: Occurrences
                  objectives:
                    - op: lte
                      value: %3$d
                      target: 0.99
                """.formatted(
                        label(),
                        metric,
                        millis,
                        service.replace("\\", "\\\\").replace("\"", "\\\""),
                        metric.toUpperCase(Locale.ROOT),
                        where);
    }
}
