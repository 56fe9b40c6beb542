package io.inferwatch.jobs;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A job as a command line describes it, to be built where it is to run: in the process of {@code inferwatch job}, or on a cluster by {@link JobMain}.
 * An implementation is a picocli mix-in; files and secrets that its options name are read by the process that builds it.
 */
public interface JobGraph {
    /** The job's name in Flink. */
    String jobName();

    /** How it reaches Kafka. */
    KafkaOptions kafka();

    /** Checks the options and adds sources, operators and sinks to the environment. */
    void build(StreamExecutionEnvironment environment);
}
