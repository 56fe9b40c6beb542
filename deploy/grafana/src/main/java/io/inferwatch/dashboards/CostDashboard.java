package io.inferwatch.dashboards;

import static io.inferwatch.dashboards.Column.Aggregate.LAST;
import static io.inferwatch.dashboards.Column.Aggregate.MAX;
import static io.inferwatch.dashboards.Column.Aggregate.SUM;

import io.inferwatch.dashboards.Dashboard.Row;
import io.inferwatch.dashboards.Panel.Kind;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.RetentionPolicy;
import java.util.List;

/** What serving costs and wastes, on which device it would cost least, and whether tenants disturb each other. */
final class CostDashboard {
    static final String UID = "inferwatch-cost";

    private static final String NO_PRICE =
            "No device has a price (inferwatch config set deploy/prices.yaml), or none has told what it does (inferwatch probe gpu).";
    private static final String NO_CHOICE =
            "Without a price, or without an engine that tells prefill from decode, nobody knows what generating costs.";
    private static final String NO_TENANTS =
            "No tenant is known for ten minutes with a hundred requests each, or on two replicas. Requests tell theirs by a header or a key.";
    private static final String SECONDS = "seconds";

    private final Source devices = of(Measurement.COST).with(Field.VIEW, "gpu-product");
    private final Source shares = of(Measurement.COST).with(Field.VIEW, "tenant-model");
    private final Source choices = of(Measurement.DEVICE_CHOICE);
    private final Source tenants = of(Measurement.TENANT);

    private CostDashboard() {}

    static Dashboard of() {
        CostDashboard made = new CostDashboard();
        return new Dashboard(
                UID,
                "Cost and tenants",
                "What serving costs by model, device and tenant, what of it is for nothing, and whether tenants disturb each other.",
                "now-3h",
                List.of(),
                List.of(made.cost(), made.choice(), made.tenants()));
    }

    private Row cost() {
        return Row.of(
                "Cost",
                Panel.of(
                                Kind.TABLE,
                                "By model and device",
                                "Dollars of the time range. For 1,000 tokens and a request: the dearest minute, with all time. inferwatch report cost adds up over any period.",
                                NO_PRICE,
                                new Query.OverRange(
                                        devices,
                                        List.of(
                                                Column.of(SUM, Field.DOLLARS, "All"),
                                                Column.of(SUM, Field.IDLE_DOLLARS, "Idle"),
                                                Column.of(MAX, Field.ALL_IN_PER_THOUSAND, "1k tokens"),
                                                Column.of(MAX, Field.DOLLARS_PER_REQUEST, "Request")),
                                        List.of("model", "version", Field.PRODUCT)))
                        .in(Unit.DOLLARS)
                        .sized(24, 6),
                Panel.of(
                                Kind.TIME_SERIES,
                                "Dollars for 1,000 tokens",
                                "Generating by itself, and with all time of the devices. What lies between them is idle time, prefill, moving of KV caches and waste.",
                                NO_PRICE,
                                new Query.OverTime(
                                        devices,
                                        List.of(
                                                Column.of(MAX, Field.DOLLARS_PER_THOUSAND, "Generating"),
                                                Column.of(MAX, Field.ALL_IN_PER_THOUSAND, "With all time")),
                                        List.of("model", Field.PRODUCT)))
                        .in(Unit.DOLLARS)
                        .sized(12, 8),
                Panel.of(
                                Kind.TIME_SERIES,
                                "For nothing",
                                "Dollars of each interval for time without work, for tokens that preemption lost, and for tokens of requests that failed.",
                                NO_PRICE,
                                new Query.OverTime(
                                        devices,
                                        List.of(
                                                Column.of(SUM, Field.IDLE_DOLLARS, "Idle"),
                                                Column.of(SUM, Field.PREEMPTED_DOLLARS, "Preempted"),
                                                Column.of(SUM, Field.FAILED_DOLLARS, "Failed")),
                                        List.of()))
                        .in(Unit.DOLLARS)
                        .stacked()
                        .sized(12, 8));
    }

    private Row choice() {
        return Row.of(
                "Devices",
                Panel.of(
                                Kind.TABLE,
                                "What the load would cost elsewhere",
                                "The last minute's load on each device of the price list, by the relative throughput that it says. Cheapness 1 is the cheapest.",
                                NO_CHOICE,
                                new Query.OverRange(
                                        choices,
                                        List.of(
                                                Column.of(LAST, Field.CHEAPNESS, "Cheapness")
                                                        .in(Unit.COUNT),
                                                Column.of(LAST, Field.DEVICES, "Devices")
                                                        .in(Unit.COUNT),
                                                Column.of(LAST, Field.EFFECTIVE_THROUGHPUT, "Throughput")
                                                        .in(Unit.TOKENS_PER_SECOND),
                                                Column.of(LAST, Field.DOLLARS_PER_THOUSAND, "1k tokens"),
                                                Column.of(LAST, Field.DOLLARS_PER_HOUR, "Hour")),
                                        List.of("model", "version", Field.PRODUCT, Field.PRICED_DEVICE)))
                        .in(Unit.DOLLARS)
                        .sized(24, 7));
    }

    private Row tenants() {
        String jitter = Field.estimate(Field.P99_JITTER, SECONDS);
        return Row.of(
                "Tenants",
                Panel.of(
                                Kind.TABLE,
                                "Whom the neighbours disturb",
                                "What latency is multiplied by where the others' load on a tenant's replicas rises from its first to its third quartile, with 95 % limits: within each replica, beside the tenant's own load.",
                                NO_TENANTS,
                                new Query.OverRange(
                                        tenants,
                                        List.of(
                                                Column.of(LAST, Field.NEIGHBOUR_RATIO, "Latency"),
                                                Column.of(LAST, Field.low(Field.NEIGHBOUR_RATIO, ""), "from"),
                                                Column.of(LAST, Field.high(Field.NEIGHBOUR_RATIO, ""), "to"),
                                                Column.of(LAST, Field.DISTURBED, "Disturbed")
                                                        .in(Unit.COUNT)),
                                        List.of("tenant")))
                        .in(Unit.TIMES)
                        .sized(12, 8),
                Panel.of(
                                Kind.TIME_SERIES,
                                "Jitter of P99",
                                "Standard deviation of the minutes' P99 of TTFT over the hour before, by tenant.",
                                NO_TENANTS,
                                new Query.OverTime(
                                        tenants, List.of(Column.of(MAX, jitter, "Jitter")), List.of("tenant")))
                        .in(Unit.SECONDS)
                        .sized(12, 8),
                Panel.of(
                                Kind.TABLE,
                                "Cost by tenant",
                                "Dollars of the time range, by the tokens that were computed for each; for 1,000 tokens that it got: the dearest minute.",
                                NO_PRICE,
                                new Query.OverRange(
                                        shares,
                                        List.of(
                                                Column.of(SUM, Field.DOLLARS, "All"),
                                                Column.of(MAX, Field.ALL_IN_PER_THOUSAND, "1k tokens")),
                                        List.of("tenant", "model")))
                        .in(Unit.DOLLARS)
                        .sized(12, 8),
                Panel.of(
                                Kind.TABLE,
                                "Limits of control groups",
                                "Of each tenant's replicas the nearest to its limit, last minute: memory, processor time, and how long it was held back.",
                                "No serving process' control group is known. The GPU probe reads it where it runs beside them.",
                                new Query.OverRange(
                                        tenants,
                                        List.of(
                                                Column.of(LAST, Field.CGROUP_MEMORY_SHARE, "Memory"),
                                                Column.of(LAST, Field.CGROUP_CPU_SHARE, "Processors"),
                                                Column.of(LAST, Field.CGROUP_THROTTLED_SHARE, "Held back")),
                                        List.of("tenant")))
                        .in(Unit.SHARE)
                        .sized(12, 8));
    }

    private static Source of(Measurement measurement) {
        return Source.ofWindows(RetentionPolicy.R1M, measurement.measurementName());
    }
}
