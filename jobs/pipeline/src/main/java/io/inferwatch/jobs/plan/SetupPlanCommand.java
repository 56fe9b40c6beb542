package io.inferwatch.jobs.plan;

import io.inferwatch.jobs.CatalogueOption;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code inferwatch setup plan}: what a fleet will use up, view by view; status 1 when that is more than its budget. */
@Command(
        name = "plan",
        description = "Says what a fleet will use up of series, state, points and bytes, at most; status 1 where that"
                + " exceeds its budget.",
        mixinStandardHelpOptions = true)
public final class SetupPlanCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int OVER_BUDGET = 1;

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private final CatalogueOption catalogueOption = new CatalogueOption();

    @Parameters(paramLabel = "FLEET", description = "YAML file with the fleet and its budget.")
    private @Nullable Path file;

    @Override
    public Integer call() {
        MetricCatalogue catalogue = MetricCatalogue.parse("catalogue", catalogueOption.yaml());
        Fleet fleet = Fleet.read(Objects.requireNonNull(file), catalogue);
        FleetPlan plan = FleetPlan.of(fleet, catalogue);
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        out.printf("%-22s%12s%12s%n", "view", "series", "points/s");
        for (FleetPlan.ViewPlan view : plan.views()) {
            out.printf(
                    "%-22s%,12d%,12.1f%n",
                    view.name(), view.series(), view.briefPointsPerSecond() + view.widePointsPerSecond());
        }
        out.printf("%-22s%,12.0f%,12.1f%n", "all", plan.total(Quantity.SERIES), plan.total(Quantity.POINTS_PER_SECOND));
        out.printf("state of the jobs     %,12.0f MB%n", plan.total(Quantity.STATE_MEGABYTES));
        out.printf("InfluxDB              %,12.0f MB a day%n", plan.total(Quantity.INFLUXDB_MEGABYTES_PER_DAY));
        out.printf(
                "Kafka                 %,12.0f MB a day, times its replication%n",
                plan.total(Quantity.KAFKA_MEGABYTES_PER_DAY));
        out.flush();
        List<String> excesses = plan.excesses(fleet);
        PrintWriter err = Objects.requireNonNull(spec).commandLine().getErr();
        excesses.forEach(err::println);
        err.flush();
        return excesses.isEmpty() ? OK : OVER_BUDGET;
    }
}
