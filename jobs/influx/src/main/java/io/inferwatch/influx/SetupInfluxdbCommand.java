package io.inferwatch.influx;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code inferwatch setup influxdb}: makes database and retention policies, or buckets, and says what it made and what was there. */
@Command(
        name = "influxdb",
        description = "Makes what Inferwatch needs in InfluxDB. May be run again: what is there is kept.",
        mixinStandardHelpOptions = true)
public final class SetupInfluxdbCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int BAD_INPUT = 2;

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private final InfluxOptions influxdb = new InfluxOptions();

    @Override
    public Integer call() {
        PrintWriter out = spec().commandLine().getOut();
        PrintWriter err = spec().commandLine().getErr();
        InfluxConnection connection;
        try {
            connection = influxdb.connection();
        } catch (InfluxConfigurationException e) {
            err.println(e.getMessage());
            return BAD_INPUT;
        }
        try (InfluxClient client = InfluxClient.open(connection)) {
            List<InfluxSetup.Step> steps = new InfluxSetup(client).run();
            out.println("InfluxDB " + client.version() + " at " + connection.url());
            steps.forEach(step -> out.println("  " + describe(step)));
            out.flush();
            return OK;
        } catch (InfluxConfigurationException | InfluxUnavailableException | InfluxQueryException e) {
            err.println(e.getMessage());
            return BAD_INPUT;
        }
    }

    private static String describe(InfluxSetup.Step step) {
        String change = step.change().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        String detail = step.detail().isEmpty() ? "" : ": " + step.detail();
        return "%-9s  %s%s".formatted(change, step.thing(), detail);
    }

    private CommandSpec spec() {
        if (spec == null) {
            throw new IllegalStateException("the command was not made by picocli");
        }
        return spec;
    }
}
