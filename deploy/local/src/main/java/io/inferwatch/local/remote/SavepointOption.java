package io.inferwatch.local.remote;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that says where a savepoint goes; to be mixed in. */
final class SavepointOption {
    /** More than any state of ours takes; the cluster's own limit of a checkpoint's time comes before. */
    static final Duration PATIENCE = Duration.ofMinutes(15);

    @Option(
            names = "--savepoints",
            paramLabel = "DIR",
            description = "Directory of savepoints as the cluster sees it, such as s3://bucket/savepoints."
                    + " Default: the cluster's execution.checkpointing.savepoint-dir.")
    private @Nullable String directory;

    Optional<String> directory() {
        return Optional.ofNullable(directory);
    }
}
