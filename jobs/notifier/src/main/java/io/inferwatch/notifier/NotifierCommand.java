package io.inferwatch.notifier;

import java.io.PrintWriter;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code inferwatch notifier}: hands alerts to Alertmanager until it is stopped. */
@Command(
        name = "notifier",
        description = "Hands alerts to Alertmanager, and keeps what fires alive while the jobs are down.",
        mixinStandardHelpOptions = true)
public final class NotifierCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int BAD_INPUT = 2;

    @Mixin
    private final NotifierOptions options = new NotifierOptions();

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        if (spec == null) {
            throw new IllegalStateException("the command was not made by picocli");
        }
        PrintWriter err = spec.commandLine().getErr();
        try (Notifier notifier = new Notifier(options.check(), InstantSource.system())) {
            Runtime.getRuntime().addShutdownHook(new Thread(notifier::close, "notifier-stop"));
            notifier.start();
            notifier.run();
            return OK;
        } catch (InvalidOptionsException e) {
            err.println(e.getMessage());
            return BAD_INPUT;
        } catch (KafkaException e) {
            err.println("Kafka at " + options.bootstrapServers() + " does not answer: "
                    + e.getClass().getSimpleName());
            return BAD_INPUT;
        } finally {
            err.flush();
        }
    }
}
