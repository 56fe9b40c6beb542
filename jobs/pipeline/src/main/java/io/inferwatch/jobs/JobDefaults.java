package io.inferwatch.jobs;

import java.time.Duration;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;

/** Flink's settings that every job of ours rests on; a cluster's own configuration adds to them. */
public final class JobDefaults {
    private JobDefaults() {}

    /** Settings without which the jobs would be wrong or slow. */
    public static Configuration configuration() {
        Configuration configuration = new Configuration();
        // Rows pass by reference; see RequestRow.
        configuration.set(PipelineOptions.OBJECT_REUSE, true);
        // A type that Flink would hand to Kryo, or an operator without a uid, fails when the graph is built.
        configuration.set(PipelineOptions.GENERIC_TYPES, false);
        configuration.set(PipelineOptions.AUTO_GENERATE_UIDS, false);
        configuration.set(PipelineOptions.MAX_PARALLELISM, 720);
        // These two decide how long a closed window waits on its way.
        configuration.set(PipelineOptions.AUTO_WATERMARK_INTERVAL, Duration.ofMillis(20));
        configuration.set(ExecutionOptions.BUFFER_TIMEOUT, Duration.ofMillis(5));
        // Each one sends what open panes hold ahead, which is most of what a pane's end costs.
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(30));
        configuration.set(
                CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
        // A sink that is away makes checkpoints fail; that alone must not stop the job.
        configuration.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, Integer.MAX_VALUE);
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "exponential-delay");
        configuration.set(
                RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_INITIAL_BACKOFF, Duration.ofMillis(500));
        configuration.set(
                RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_MAX_BACKOFF, Duration.ofSeconds(30));
        return configuration;
    }
}
