package io.inferwatch.jobs;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code inferwatch setup kafka}: makes the topics, and says what it made, what was there and what differs. */
@Command(
        name = "kafka",
        description =
                "Makes the topics of Inferwatch. May be run again: what is there is kept, and said where it differs.",
        mixinStandardHelpOptions = true)
public final class SetupKafkaCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int BAD_INPUT = 2;
    private static final int MAX_PARTITIONS = 720;

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private final KafkaOptions kafka = new KafkaOptions();

    @Option(
            names = "--partitions",
            paramLabel = "N",
            defaultValue = "12",
            description =
                    "Partitions of each topic: the greatest parallelism of the jobs' sources. They cannot be changed"
                            + " later without parting replicas' events. Default: ${DEFAULT-VALUE}.")
    private int partitions;

    @Option(
            names = "--replication",
            paramLabel = "N",
            defaultValue = "3",
            description =
                    "Copies of each partition; all but one must have a record before it counts as written. Default:"
                            + " ${DEFAULT-VALUE}.")
    private int replication;

    @Option(names = "--dry-run", description = "Only says what is missing and what differs.")
    private boolean dryRun;

    @Override
    public Integer call() throws InterruptedException {
        require("--partitions", partitions, MAX_PARTITIONS);
        require("--replication", replication, Short.MAX_VALUE);
        KafkaConnection connection = kafka.connection();
        PrintWriter out = spec().commandLine().getOut();
        PrintWriter err = spec().commandLine().getErr();
        try {
            List<KafkaTopics.Step> steps = KafkaTopics.setUp(connection, partitions, (short) replication, dryRun);
            out.println("Kafka at " + connection);
            steps.forEach(step -> out.println("  " + describe(step)));
            out.flush();
            return OK;
        } catch (ExecutionException e) {
            err.println("--bootstrap-servers: must be a Kafka that makes topics, found " + connection + ": "
                    + Objects.requireNonNull(e.getCause()).getMessage());
        } catch (KafkaException e) {
            err.println("--bootstrap-servers: must be a reachable Kafka, found " + connection + ": "
                    + (e.getCause() == null ? e : e.getCause()).getMessage());
        }
        err.flush();
        return BAD_INPUT;
    }

    private static String describe(KafkaTopics.Step step) {
        String change = step.change().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        String detail = step.detail().isEmpty() ? "" : ": " + step.detail();
        return "%-9s  %s%s".formatted(change, step.topic().topicName(), detail);
    }

    private void require(String option, int value, int max) {
        if (value < 1 || value > max) {
            throw new ParameterException(
                    spec().commandLine(), option + ": must be from 1 to " + max + ", found " + value);
        }
    }

    private CommandSpec spec() {
        return Objects.requireNonNull(spec, "made by picocli");
    }
}
