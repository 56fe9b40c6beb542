package io.inferwatch.probes.load;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * A run in four numbers, {@code single_run.json}, after its warm-up: each is the mean over the iterations, with the standard deviation from one to the other beside it. {@code prefill_latency_ms} is the mean TTFT from the sending,
 * {@code decode_latency_per_token_ms} the mean time between tokens. What is not known is null: a load generator does not see the GPU's memory.
 */
final class SingleRunRecord {
    static final String FILE = "single_run.json";

    private static final ObjectMapper JSON = new ObjectMapper();

    private final RunReport report;

    SingleRunRecord(RunReport report) {
        this.report = report;
    }

    void write(Path directory) throws IOException {
        JSON.writerWithDefaultPrettyPrinter().writeValue(directory.resolve(FILE).toFile(), record());
    }

    ObjectNode record() {
        List<RunSummary> iterations = report.byIteration();
        ObjectNode node = JSON.createObjectNode()
                .put("run", report.run())
                .put("valid", report.isValid())
                .put("iterations", iterations.size())
                .put("stable", iterations.size() > 1 ? (Boolean) report.isStable() : null)
                .put("warm_up_requests", report.warmUps());
        put(node, "prefill_latency_ms", iterations, summary -> mean(summary, RequestMetric.SENT_TTFT, 1e-3));
        put(node, "decode_latency_per_token_ms", iterations, summary -> mean(summary, RequestMetric.TPOT, 1e-6));
        node.putNull("peak_gpu_mem_gb");
        put(node, "total_tokens_per_second", iterations, RunSummary::totalRate);
        return node;
    }

    private static void put(
            ObjectNode node, String name, List<RunSummary> iterations, ToDoubleFunction<RunSummary> figure) {
        RunSummary.Repeated repeated =
                RunSummary.Repeated.of(iterations.stream().mapToDouble(figure).toArray());
        node.put(name, finite(repeated.mean()));
        node.put(name + "_std", finite(repeated.deviation()));
    }

    private static double mean(RunSummary summary, RequestMetric metric, double factor) {
        Distribution values = summary.metric(metric);
        return values.isEmpty() ? Double.NaN : values.mean() * factor;
    }

    private static @Nullable Double finite(double value) {
        return Double.isFinite(value) ? (Double) value : null;
    }
}
