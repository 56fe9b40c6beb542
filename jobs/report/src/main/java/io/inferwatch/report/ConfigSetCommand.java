package io.inferwatch.report;

import io.inferwatch.schemas.Setting;
import io.inferwatch.schemas.catalogue.ConfigFile;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code inferwatch config set}: adds or replaces entries of the running jobs' configuration, all of a file or none. */
@Command(
        name = "set",
        description =
                "Sets the thresholds, baselines, prices and other entries of a file, which is checked as a whole before"
                        + " anything is sent."
                        + " Entries that it does not name stay.",
        mixinStandardHelpOptions = true)
public final class ConfigSetCommand extends ConfigSubcommand {
    @Parameters(
            index = "0",
            paramLabel = "FILE",
            description =
                    "YAML file: thresholds: {METRIC: 5%%, ...}, baselines: {NAME: {view, across, against, of, pinned,"
                            + " alert}, ...}, anomalies: {STATISTIC: {mode: promoted, sensitivity, forest}, ...}, limits,"
                            + " paddings, layers, prices: {DEVICE: {dollars-per-hour, relative-throughput}, ...}.")
    private Path file = Path.of("");

    @Option(
            names = "--catalogue",
            paramLabel = "FILE",
            description = "Metric catalogue of the jobs. Default: the one that is shipped")
    private @Nullable Path catalogue;

    private final InstantSource clock;

    /** A command that takes now from the system. */
    public ConfigSetCommand() {
        this(InstantSource.system());
    }

    ConfigSetCommand(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    void run(ConfigTopic topic, PrintWriter out, PrintWriter err) {
        MetricCatalogue metrics = catalogue == null ? MetricCatalogue.shipped() : MetricCatalogue.read(catalogue);
        long nowMicros = TimeText.micros(clock.instant());
        Map<String, @Nullable Setting> changes = new LinkedHashMap<>();
        for (ConfigFile.Entry entry : ConfigFile.read(file, metrics)) {
            changes.put(entry.key(), new Setting(entry.kind(), entry.name(), nowMicros, entry.body()));
        }
        ConfigTopic.Content before = topic.read();
        topic.send(changes);
        changes.keySet().forEach(key -> out.println((before.holds(key) ? "replaced " : "set ") + key));
    }
}
