package io.inferwatch.local;

import io.inferwatch.influx.InfluxOptions;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.slo.SloFile;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options of the commands that start a local stack. */
final class StackOptions {
    private static final String INFLUX_URL = "--influxdb-url";

    static final String INFLUX_FOOTER =
            "Without --influxdb-url InfluxDB is found on this machine and started: influxd on the PATH, else the Debian package, unpacked"
                    + " into the cache directory without root, else Docker.";

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Directory of all data; a second start on it goes on where the first stopped."
                    + " Default: one for each command under .inferwatch in the working copy.")
    private @Nullable Path data;

    @Option(
            names = "--slo",
            paramLabel = "FILE",
            description = "What is promised of the run, in OpenSLO; may be given several times.")
    private List<Path> promises = List.of();

    @Option(
            names = "--alertmanager",
            paramLabel = "URL",
            description = "Alertmanager that is told of alerts. Default: nobody is.")
    private @Nullable URI alertmanager;

    @Mixin
    private final LocalParallelism parallelism = new LocalParallelism();

    @Mixin
    private final InfluxOptions influx = new InfluxOptions();

    /** Elsewhere a server's URL has a default; here its absence means that one is found and started. */
    static void describeInfluxUrl(CommandSpec command) {
        OptionSpec url = command.findOption(INFLUX_URL);
        command.remove(url);
        command.addOption(OptionSpec.builder(url)
                .defaultValue(null)
                .description("Where an InfluxDB answers that runs already. Default: one is found here and started.")
                .build());
    }

    /** Directory of all data. */
    Path data() {
        return data == null
                ? Home.data(command().name())
                : data.toAbsolutePath().normalize();
    }

    /** Whether something is promised. */
    boolean isPromising() {
        return !promises.isEmpty();
    }

    /** What to start, on free ports. */
    LocalStack.Options stack() {
        if (alertmanager != null
                && (alertmanager.getHost() == null || !List.of("http", "https").contains(alertmanager.getScheme()))) {
            throw new CommandLineException(
                    "--alertmanager: must be an address such as http://localhost:9093, found '" + alertmanager + "'");
        }
        LocalStack.Options options = LocalStack.Options.in(data())
                .withParallelism(parallelism.checked())
                .withAlerting(new Alerting(
                        promises.stream()
                                .map(file -> SloFile.read(file, MetricCatalogue.shipped()))
                                .toList(),
                        Optional.ofNullable(alertmanager)));
        boolean isGiven = command().commandLine().getParseResult().hasMatchedOption(INFLUX_URL);
        return isGiven ? options.withInflux(influx.connection()) : options;
    }

    private CommandSpec command() {
        if (command == null) {
            throw new IllegalStateException("not made by picocli");
        }
        return command;
    }
}
