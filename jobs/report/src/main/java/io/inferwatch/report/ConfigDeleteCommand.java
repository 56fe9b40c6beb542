package io.inferwatch.report;

import io.inferwatch.schemas.settings.Settings;
import java.io.PrintWriter;
import java.util.Collections;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code inferwatch config delete}: takes one entry back, after which the catalogue's holds again. */
@Command(
        name = "delete",
        description = "Takes an entry back, after which the catalogue's holds again.",
        mixinStandardHelpOptions = true)
public final class ConfigDeleteCommand extends ConfigSubcommand {
    @Parameters(
            index = "0",
            paramLabel = "KIND/NAME",
            description = "Entry, such as threshold/ttft or baseline/canary.")
    private String key = "";

    @Override
    void run(ConfigTopic topic, PrintWriter out, PrintWriter err) {
        ConfigTopic.Content content = topic.read();
        if (!content.holds(key)) {
            List<String> known = List.copyOf(content.settings().keySet());
            throw new InvalidRequestException("KIND/NAME: must be an entry that is set ("
                    + (known.isEmpty() ? "there is none" : String.join(", ", known)) + "), found '" + key + "'"
                    + Settings.nearest(key, known));
        }
        topic.send(Collections.singletonMap(key, null));
        out.println("deleted " + key);
    }
}
