package io.inferwatch.report;

import io.inferwatch.schemas.Setting;
import io.inferwatch.schemas.slo.SloFile;
import io.inferwatch.schemas.slo.SloSpec;
import java.io.PrintWriter;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code inferwatch slo apply}: adds or replaces SLOs of the running jobs, all of a file or none. */
@Command(
        name = "apply",
        description =
                "Hands a file's SLOs to the running jobs, after it was checked as a whole. SLOs that it does not name"
                        + " stay; inferwatch config delete slo/NAME takes one back.",
        mixinStandardHelpOptions = true)
public final class SloApplyCommand extends ConfigSubcommand {
    @Mixin
    private final SloSource source = new SloSource();

    private final InstantSource clock;

    /** A command that takes now from the system. */
    public SloApplyCommand() {
        this(InstantSource.system());
    }

    SloApplyCommand(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    void run(ConfigTopic topic, PrintWriter out, PrintWriter err) {
        SloFile slos = source.read(source.catalogue(), err);
        long nowMicros = TimeText.micros(clock.instant());
        Map<String, @Nullable Setting> changes = new LinkedHashMap<>();
        slos.bodies()
                .forEach((name, body) ->
                        changes.put(SloSpec.KIND + "/" + name, new Setting(SloSpec.KIND, name, nowMicros, body)));
        ConfigTopic.Content before = topic.read();
        topic.send(changes);
        changes.keySet().forEach(key -> out.println((before.holds(key) ? "replaced " : "set ") + key));
    }
}
