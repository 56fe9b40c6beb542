package io.inferwatch.local;

import io.inferwatch.jobs.JobDefaults;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.CheckpointType;
import org.apache.flink.core.execution.RecoveryClaimMode;
import org.apache.flink.runtime.client.JobExecutionException;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flink within this JVM, with its web UI on loopback. Checkpoints lie under the data directory and stay when a job or the cluster ends, however it
 * ends: a job that is started again under its name, in this cluster or in a later one on the same directory, goes on from its newest complete
 * checkpoint. {@link #close} takes a last one of each job first. Not thread-safe.
 */
public final class FlinkCluster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FlinkCluster.class);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LAST_CHECKPOINT_PATIENCE = Duration.ofSeconds(15);
    private static final int JOBS_AT_ONCE = 3;

    /**
     * How a cluster is started.
     *
     * @param data directory of checkpoints and temporary files
     * @param parallelism of every job
     * @param uiPort of the web UI on loopback; 0 is a free one
     * @param settings Flink's own settings, over the defaults here
     */
    public record Options(
            Path data, int parallelism, int uiPort, Duration checkpointInterval, Map<String, String> settings) {
        /** Two slots a job, a free port, checkpoints every five seconds. */
        public static Options in(Path data) {
            return new Options(data, 2, 0, Duration.ofSeconds(5), Map.of());
        }

        /** The same with this parallelism. */
        public Options withParallelism(int newParallelism) {
            return new Options(data, newParallelism, uiPort, checkpointInterval, settings);
        }

        /** The same with the web UI on this port. */
        public Options withUiPort(int newUiPort) {
            return new Options(data, parallelism, newUiPort, checkpointInterval, settings);
        }

        /** The same with this time between checkpoints. */
        public Options withCheckpointInterval(Duration newInterval) {
            return new Options(data, parallelism, uiPort, newInterval, settings);
        }

        /** The same with more of Flink's settings. */
        public Options withSettings(Map<String, String> more) {
            Map<String, String> all = new TreeMap<>(settings);
            all.putAll(more);
            return new Options(data, parallelism, uiPort, checkpointInterval, all);
        }
    }

    /** A job that was started here. */
    public final class Job {
        private final String name;
        private final JobID id;
        private final Optional<Path> restoredFrom;

        private Job(String name, JobID id, Optional<Path> restoredFrom) {
            this.name = name;
            this.id = id;
            this.restoredFrom = restoredFrom;
        }

        /** The name that it was started under. */
        public String name() {
            return name;
        }

        /** Flink's id of it. */
        public JobID id() {
            return id;
        }

        /** The checkpoint that it went on from; empty when it began anew. */
        public Optional<Path> restoredFrom() {
            return restoredFrom;
        }

        /** Its present state. */
        public JobStatus status() {
            return await(cluster.getJobStatus(id), "status of job " + name);
        }

        /** Why it failed; empty when it has not. */
        public Optional<Throwable> failure() {
            return Optional.ofNullable(await(cluster.getArchivedExecutionGraph(id), "job " + name)
                            .getFailureInfo())
                    .map(info -> info.getException().deserializeError(Job.class.getClassLoader()));
        }

        /** How many checkpoints it has completed since it was started. */
        public long completedCheckpoints() {
            var snapshot =
                    await(cluster.getArchivedExecutionGraph(id), "job " + name).getCheckpointStatsSnapshot();
            return snapshot == null ? 0 : snapshot.getCounts().getNumberOfCompletedCheckpoints();
        }

        /** The sum of a counter or gauge over all its operators and subtasks, as of about a second ago; it counts from the last restart on. */
        public long metric(String metricName) {
            return FlinkMetrics.sum(url, id.toHexString(), metricName);
        }

        /** What it has counted by that name over all tasks, once it has finished; 0 where nothing counts by it. */
        public long total(String name) {
            try {
                Long total = await(cluster.requestJobResult(id), "result of job " + this.name)
                        .toJobExecutionResult(Job.class.getClassLoader())
                        .getAccumulatorResult(name);
                return total == null ? 0 : total;
            } catch (JobExecutionException | IOException | ClassNotFoundException e) {
                throw new IllegalStateException("job " + this.name + " has no result", e);
            }
        }

        /** How often it was restarted since it was started here, as of about a second ago. */
        public long restarts() {
            return FlinkMetrics.ofJob(url, id.toHexString(), "numRestarts");
        }

        /** Cancels it at once, without a further checkpoint: what it did since the last one is done again by its successor. */
        public void cancel() {
            await(cluster.cancelJob(id), "cancelling job " + name);
            await(cluster.requestJobResult(id), "end of job " + name);
        }
    }

    private final MiniCluster cluster;
    private final Options options;
    private final String url;
    private final List<Job> jobs = new ArrayList<>();
    private int taskManager;

    private FlinkCluster(MiniCluster cluster, Options options, String url) {
        this.cluster = cluster;
        this.options = options;
        this.url = url;
    }

    /** Starts a cluster without jobs. */
    public static FlinkCluster start(Options options) {
        Configuration configuration = new Configuration();
        try {
            Path temporary = Files.createDirectories(options.data.resolve("tmp"));
            configuration.setString("io.tmp.dirs", temporary.toString());
            configuration.setString("web.tmpdir", temporary.toString());
        } catch (IOException e) {
            throw new UncheckedIOException("data directory " + options.data + " must be writable", e);
        }
        configuration.setString("rest.address", "127.0.0.1");
        configuration.setString("rest.bind-address", "127.0.0.1");
        configuration.setString("rest.port", Integer.toString(options.uiPort));
        configuration.setString("rest.bind-port", Integer.toString(options.uiPort));
        configuration.setString("web.submit.enable", "false");
        configuration.setString("metrics.fetcher.update-interval", "1000");
        configuration.setString("cluster.registration.error-delay", "500");
        options.settings.forEach(configuration::setString);
        MiniCluster cluster = new MiniCluster(new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(JOBS_AT_ONCE * options.parallelism)
                .build());
        try {
            cluster.start();
            return new FlinkCluster(
                    cluster,
                    options,
                    await(cluster.getRestAddress(), "the web UI").toString());
        } catch (Exception e) {
            await(cluster.closeAsync(), "end of Flink");
            throw new IllegalStateException("Flink cannot be started: " + e.getMessage(), e);
        }
    }

    /** Where the web UI is. */
    public String url() {
        return url;
    }

    /**
     * Starts a job, from its newest checkpoint where there is one.
     *
     * @param name names its directory of checkpoints: the same name is the same job to every later cluster on this data directory
     * @param graph adds sources, operators and sinks to the environment
     */
    public Job start(String name, String shownName, Consumer<StreamExecutionEnvironment> graph) {
        Path checkpoints = options.data.resolve("checkpoints").resolve(name);
        Optional<Path> newest = newestCheckpoint(checkpoints);
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(jobConfiguration(checkpoints));
        graph.accept(environment);
        StreamGraph plan = environment.getStreamGraph();
        plan.setJobName(shownName);
        newest.ifPresent(path -> plan.setSavepointRestoreSettings(
                SavepointRestoreSettings.forPath(path.toUri().toString(), false, RecoveryClaimMode.CLAIM)));
        JobID id = await(cluster.submitJob(plan), "start of job " + name).getJobID();
        Job job = new Job(name, id, newest);
        jobs.add(job);
        return job;
    }

    /** Kills the task manager with all that runs on it, and starts another in its place. */
    public void replaceTaskManager() {
        await(cluster.terminateTaskManager(taskManager), "end of the task manager");
        try {
            cluster.startTaskManager();
            taskManager++;
        } catch (Exception e) {
            throw new IllegalStateException("a task manager cannot be started", e);
        }
    }

    /** Ends the cluster after a last checkpoint of each running job. */
    @Override
    public void close() {
        for (Job job : jobs) {
            takeLastCheckpoint(job);
        }
        await(cluster.closeAsync(), "end of Flink");
    }

    private void takeLastCheckpoint(Job job) {
        try {
            if (job.status() == JobStatus.RUNNING) {
                cluster.triggerCheckpoint(job.id, CheckpointType.CONFIGURED)
                        .get(LAST_CHECKPOINT_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
                job.cancel();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | IllegalStateException e) {
            LOG.warn("No last checkpoint of job {}: it will go on from an earlier one", job.name, e);
        }
    }

    private Configuration jobConfiguration(Path checkpoints) {
        Configuration configuration = JobDefaults.configuration();
        configuration.setString("parallelism.default", Integer.toString(options.parallelism));
        configuration.setString("state.backend.type", "hashmap");
        configuration.setString("execution.checkpointing.storage", "filesystem");
        configuration.setString(
                "execution.checkpointing.dir", checkpoints.toUri().toString());
        configuration.setString("execution.checkpointing.interval", options.checkpointInterval.toMillis() + " ms");
        options.settings.forEach(configuration::setString);
        return configuration;
    }

    /** By time: after a start without a checkpoint the numbers begin anew. */
    private static Optional<Path> newestCheckpoint(Path checkpoints) {
        if (!Files.isDirectory(checkpoints)) {
            return Optional.empty();
        }
        try (Stream<Path> files = Files.walk(checkpoints, 3)) {
            return files.filter(file -> file.endsWith("_metadata"))
                    .max(Comparator.comparing(FlinkCluster::modified))
                    .map(Path::getParent);
        } catch (IOException e) {
            throw new UncheckedIOException("checkpoints under " + checkpoints + " cannot be read", e);
        }
    }

    private static FileTime modified(Path file) {
        try {
            return Files.getLastModifiedTime(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static <T> T await(CompletableFuture<T> future, String what) {
        try {
            return future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted: " + what, e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(what + ": " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new IllegalStateException(what + ": took longer than " + PATIENCE.toSeconds() + " s", e);
        }
    }
}
