package io.inferwatch.local;

import io.inferwatch.jobs.BackfillOptions;
import io.inferwatch.jobs.KeptEvents;
import io.inferwatch.jobs.window.Windows;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code inferwatch backfill}: makes the windows of whole hours anew, late events included, in a Flink of its own in this process; the job that stores windows
 * overwrites their points. Nothing is published before all events have been read, and running it again changes nothing.
 */
@Command(
        name = "backfill",
        description =
                "Makes the windows of whole hours anew from the events in Kafka, those included that came too late for"
                        + " them. Whatever stores windows overwrites its points. Refused where events are no longer there.",
        mixinStandardHelpOptions = true)
final class BackfillCommand implements Callable<Integer> {
    private static final long PACE_MILLIS = 100;
    private static final int FAILED = 1;

    /** State is as large as all that is published. */
    private static final Map<String, String> ON_DISK = Map.of("state.backend.type", "rocksdb");

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private final BackfillOptions job = new BackfillOptions();

    @Option(names = "--dry-run", description = "Only says what would be read and made anew.")
    private boolean dryRun;

    @Mixin
    private final LocalParallelism parallelism = new LocalParallelism();

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Directory of temporary files and log. Default: .inferwatch/backfill in the working copy.")
    private @Nullable Path data;

    @Override
    public Integer call() throws InterruptedException {
        int jobParallelism = parallelism.checked();
        CommandLine commandLine = Objects.requireNonNull(spec).commandLine();
        PrintWriter out = commandLine.getOut();
        // Everything that can be wrong is found before anything starts.
        job.build(StreamExecutionEnvironment.getExecutionEnvironment());
        long late = job.lateEvents();
        out.println(plan(job.events(), late));
        out.flush();
        if (dryRun) {
            return 0;
        }
        Path directory =
                data == null ? Home.data("backfill") : data.toAbsolutePath().normalize();
        return Foreground.run(commandLine, directory, log -> {
            try (FlinkCluster flink = FlinkCluster.start(FlinkCluster.Options.in(directory)
                    .withParallelism(jobParallelism)
                    .withSettings(ON_DISK))) {
                FlinkCluster.Job running = flink.start("backfill", job.jobName(), job::build);
                while (!running.status().isGloballyTerminalState()) {
                    Thread.sleep(PACE_MILLIS);
                }
                if (running.status() == JobStatus.FINISHED) {
                    out.println(summary(running, late));
                    out.flush();
                    return 0;
                }
                commandLine
                        .getErr()
                        .println("inferwatch backfill: " + running.status() + ": "
                                + running.failure()
                                        .map(BackfillCommand::innermost)
                                        .orElse("no reason known")
                                + "; log " + log);
                commandLine.getErr().flush();
                return FAILED;
            }
        });
    }

    private static String plan(KeptEvents events, long late) {
        StringBuilder plan =
                new StringBuilder(events.hours() + ", " + count(events.hours().count(), "hour") + ", from");
        events.recordsByTopic().forEach((topic, records) -> plan.append("\n  ")
                .append(topic.topicName())
                .append("  ")
                .append(count(records, "record")));
        return plan.append("\n  ")
                .append(count(late, "event"))
                .append(" of these hours came too late for their windows")
                .toString();
    }

    private static String summary(FlinkCluster.Job job, long late) {
        return "read " + count(job.total("requests_total"), "request") + " and "
                + count(job.total("samples_total"), "sample") + ", dropped "
                + count(job.total("repeats_total"), "repeat") + ", "
                + count(job.total("dead_letters_total"), "record") + " not usable\n"
                + count(job.total(Windows.REQUESTS_OF_HOURS), "request") + " are of these hours, "
                + count(late, "event") + " were late; " + count(job.total("windows_total"), "window")
                + " published";
    }

    private static String count(long n, String unit) {
        return String.format(Locale.ROOT, "%,d %s%s", n, unit, n == 1 ? "" : "s");
    }

    private static String innermost(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return Objects.requireNonNullElse(cause.getMessage(), cause.toString());
    }
}
