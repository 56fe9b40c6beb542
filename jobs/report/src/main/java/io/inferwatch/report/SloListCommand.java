package io.inferwatch.report;

import io.inferwatch.schemas.Setting;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.schemas.slo.SloFile;
import io.inferwatch.schemas.slo.SloSpec;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code inferwatch slo list}: what the running jobs were told to keep. */
@Command(
        name = "list",
        description = "Shows the SLOs of the running jobs, or prints them as files that inferwatch slo apply takes.",
        mixinStandardHelpOptions = true)
public final class SloListCommand extends ConfigSubcommand {
    @Option(names = "--yaml", description = "Print OpenSLO documents instead of a table.")
    private boolean yaml;

    @Option(
            names = "--catalogue",
            paramLabel = "FILE",
            description = "Metric catalogue of the jobs. Default: the one that is shipped")
    private @Nullable Path catalogue;

    @Override
    void run(ConfigTopic topic, PrintWriter out, PrintWriter err) {
        MetricCatalogue metrics = catalogue == null ? MetricCatalogue.shipped() : MetricCatalogue.read(catalogue);
        ConfigTopic.Content content = topic.read();
        List<Setting> slos = content.settings().values().stream()
                .filter(setting -> setting.getKind().equals(SloSpec.KIND))
                .toList();
        if (yaml) {
            slos.forEach(slo -> {
                out.println("---");
                out.println("# set " + TimeText.ofMicros(slo.getChangedAtMicros()));
                out.println(slo.getBody());
            });
            return;
        }
        List<SloSpec> objectives = new ArrayList<>();
        for (Setting slo : slos) {
            try {
                objectives.addAll(SloFile.parse(SloSpec.KIND + "/" + slo.getName(), slo.getBody(), metrics)
                        .objectives());
            } catch (InvalidSettingsException e) {
                err.println(e.getMessage());
            }
        }
        SloText.lines(objectives, metrics).forEach(out::println);
    }
}
