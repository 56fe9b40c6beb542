package io.inferwatch.report;

import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What the sub-commands of {@code inferwatch config} have in common: Kafka, and one message for what cannot work. */
abstract class ConfigSubcommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int BAD_INPUT = 2;

    @Mixin
    private final KafkaOptions kafka = new KafkaOptions();

    @Spec
    private @Nullable CommandSpec spec;

    /** Does the work. */
    abstract void run(ConfigTopic topic, PrintWriter out, PrintWriter err);

    @Override
    public final Integer call() {
        if (spec == null) {
            throw new IllegalStateException("the command was not made by picocli");
        }
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        try {
            run(new ConfigTopic(kafka), out, err);
            return OK;
        } catch (InvalidRequestException | InvalidSettingsException e) {
            err.println(e.getMessage());
            return BAD_INPUT;
        } catch (KafkaException e) {
            err.println(EventsTailCommand.unanswered(kafka, e));
            return BAD_INPUT;
        } finally {
            out.flush();
            err.flush();
        }
    }
}
