package io.inferwatch.report;

import io.inferwatch.schemas.Setting;
import io.inferwatch.schemas.catalogue.ConfigFile;
import io.inferwatch.schemas.slo.SloSpec;
import java.io.PrintWriter;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/** {@code inferwatch config list}: what is set, as a file that {@code inferwatch config set} takes. */
@Command(
        name = "list",
        description = "Prints all entries as a file that inferwatch config set takes, each with when it was set.",
        mixinStandardHelpOptions = true)
public final class ConfigListCommand extends ConfigSubcommand {
    @Override
    void run(ConfigTopic topic, PrintWriter out, PrintWriter err) {
        ConfigTopic.Content content = topic.read();
        // SLOs are files of their own: inferwatch slo list.
        TreeMap<String, List<Setting>> byKind = content.settings().values().stream()
                .filter(setting -> !setting.getKind().equals(SloSpec.KIND))
                .collect(Collectors.groupingBy(Setting::getKind, TreeMap::new, Collectors.toList()));
        byKind.forEach((kind, settings) -> {
            out.println(ConfigFile.section(kind) + ":");
            settings.forEach(setting -> print(setting, out));
        });
        content.unreadable().forEach((key, why) -> err.println(key + ": cannot be read: " + why));
    }

    private static void print(Setting setting, PrintWriter out) {
        String setAt = "  # set " + TimeText.ofMicros(setting.getChangedAtMicros());
        List<String> lines = setting.getBody().strip().lines().toList();
        boolean isText = lines.size() == 1 && !lines.get(0).contains(": ");
        if (isText) {
            out.println("  " + setting.getName() + ": " + lines.get(0) + setAt);
        } else {
            out.println("  " + setting.getName() + ":" + setAt);
            lines.forEach(line -> out.println("    " + line));
        }
    }
}
