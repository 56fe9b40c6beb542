package io.inferwatch.probes.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A run in words and tables, for people. */
final class RunText {
    private static final String LATENCY = "%-26s %9s %9s %9s %9s %9s";

    private RunText() {}

    static List<String> of(RunReport report, Optional<StepRule> rule) {
        RunSummary summary = report.summary();
        List<String> lines = new ArrayList<>();
        lines.add(line(
                "run %s: %,d requests, %,d failed, in %.1f s",
                report.run(), summary.requests(), summary.failedTotal(), summary.seconds()));
        summary.failed().forEach((outcome, count) -> lines.add(line("  %-14s %,d", outcome, count)));
        lines.add(line(
                "%.1f requests/s, %.0f tokens/s out, %.0f tokens/s in all; at most %,d open at once",
                summary.requestRate(), summary.outputRate(), summary.totalRate(), summary.mostOpen()));
        lines.add(line(LATENCY, "milliseconds", "mean", "P50", "P90", "P99", "max"));
        add(lines, "TTFT from the schedule", summary.metric(RequestMetric.TTFT).times(1e-3));
        add(
                lines,
                "TTFT from the sending",
                summary.metric(RequestMetric.SENT_TTFT).times(1e-3));
        add(lines, "TPOT", summary.metric(RequestMetric.TPOT).times(1e-6));
        add(lines, "gaps between chunks", summary.chunkGapMicros().times(1e-3));
        add(lines, "E2E from the schedule", summary.metric(RequestMetric.E2E).times(1e-3));
        add(
                lines,
                "E2E from the sending",
                summary.metric(RequestMetric.SENT_E2E).times(1e-3));
        add(lines, "waiting for a place", summary.metric(RequestMetric.QUEUED).times(1e-3));
        add(lines, "lag of the generator", summary.metric(RequestMetric.LAG).times(1e-3));
        add(lines, "floor: TTFT of no server", report.selfTest().ttftMicros().times(1e-3));
        rule.ifPresent(present -> addSteps(lines, report.steps(), present));
        report.cautions().forEach(caution -> lines.add("caution: " + caution));
        String reason = report.stopReason();
        if (reason != null) {
            lines.add(line("stopped: %s; %,d planned requests were not sent", reason, report.unsent()));
        }
        report.invalidity().forEach(invalid -> lines.add("INVALID: " + invalid));
        return lines;
    }

    private static void add(List<String> lines, String name, Distribution millis) {
        if (!millis.isEmpty()) {
            lines.add(line(
                    LATENCY,
                    name,
                    number(millis.mean()),
                    number(millis.quantile(0.5)),
                    number(millis.quantile(0.9)),
                    number(millis.quantile(0.99)),
                    number(millis.max())));
        }
    }

    private static void addSteps(List<String> lines, List<StepResult> steps, StepRule rule) {
        lines.add(line(
                "steps: P99 of %s over the worst sliding minute, at most %s ms%s",
                rule.latency() == StepRule.Latency.TTFT ? "TTFT" : "E2E",
                number(rule.limitMicros() / 1e3),
                rule.leastRate() > 0 ? line(" from %.0f requests/s on", rule.leastRate()) : ""));
        lines.add(line(
                "%4s %10s %10s %9s %8s %11s   %s",
                "step", "asked/s", "due/s", "requests", "failed", "P99 ms", "verdict"));
        for (StepResult step : steps) {
            lines.add(line(
                    "%4d %10.1f %10.1f %,9d %,8d %11s   %s",
                    step.number(),
                    step.askedRate(),
                    step.rate(),
                    step.requests(),
                    step.failed(),
                    p99(step),
                    verdict(step, rule)));
        }
    }

    private static String p99(StepResult step) {
        if (step.p99Micros().isEmpty()) {
            return "-";
        }
        return step.knownP99Micros().map(micros -> number(micros / 1e3)).orElse("no answer");
    }

    private static String verdict(StepResult step, StepRule rule) {
        return step.knownP99Micros()
                .filter(micros -> step.isOver())
                .map(micros -> step.label() + " by " + number((micros - rule.limitMicros()) / 1e3) + " ms")
                .orElse(step.label());
    }

    private static String number(double millis) {
        return line(millis < 10 ? "%.3f" : "%.1f", millis);
    }

    private static String line(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }
}
