package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.schemas.MetricGauge;
import io.inferwatch.schemas.WindowStat;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

/** Windows of one replica, of the same length and end: those of its requests and tenants, its engine, its GPUs and operators, of all versions that it ran meanwhile. */
record ReplicaWindows(Collection<WindowStat> all) {
    static final String OF_REQUESTS = "replica-version";
    static final String OF_ENGINE = "engine-replica";
    static final String OF_GPUS = "gpu-replica";
    static final String OF_PRODUCTS = "gpu-product";
    static final String OF_OPERATORS = "operator-replica";
    static final String OF_TENANTS = "tenant-replica";

    /** What is read of them. */
    static final Set<String> METRICS = Set.of(
            "e2e",
            "output_tokens",
            "batch_fill",
            "batch_wanted",
            "batch_size",
            "step",
            "step_squares",
            "graph_captures",
            "graph_capture_failures",
            "graph_steps",
            "eager_steps",
            "engine_steps",
            "gpu_utilisation",
            "gpu_memory",
            "gpu_memory_free",
            "gpu_busy",
            "ttft",
            "prefill",
            "decode",
            "completed",
            "prefilled_tokens",
            "generated_tokens",
            "failed_tokens",
            "retracted_tokens",
            "kv_transfer",
            "communication",
            "cgroup_memory",
            "cgroup_memory_limit",
            "cgroup_cpu",
            "cgroup_cpu_limit",
            "cgroup_throttled");

    /** Its engine's window; of several versions that with the most samples. */
    Optional<WindowStat> engine() {
        return of(OF_ENGINE).stream().max(Comparator.comparingLong(WindowStat::getRequests));
    }

    /** The distribution of a metric over the windows of a view; empty without values. */
    Optional<QuantileSketch> distribution(String view, String metric) {
        return of(view).stream()
                .flatMap(window -> new WindowReading(window).distribution(metric).stream())
                .reduce((one, other) -> {
                    one.merge(other);
                    return one;
                })
                .filter(sketch -> sketch.n() > 0);
    }

    long sum(String view, String metric) {
        return of(view).stream()
                .mapToLong(window -> new WindowReading(window).sum(metric))
                .sum();
    }

    /** The mean of a state's readings. */
    OptionalDouble mean(String view, String metric) {
        List<MetricGauge> gauges = of(view).stream()
                .flatMap(window -> window.getGauges().stream())
                .filter(gauge -> gauge.getMetric().equals(metric) && gauge.getN() > 0)
                .toList();
        double n = gauges.stream().mapToLong(MetricGauge::getN).sum();
        double sum = gauges.stream().mapToDouble(MetricGauge::getSum).sum();
        return n == 0 ? OptionalDouble.empty() : OptionalDouble.of(sum / n);
    }

    List<WindowReading> readings(String view) {
        return of(view).stream().map(WindowReading::new).toList();
    }

    private List<WindowStat> of(String view) {
        return all.stream().filter(window -> window.getView().equals(view)).toList();
    }
}
