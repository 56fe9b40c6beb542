package io.inferwatch.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.jobs.JobMain;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.flink.configuration.BlobServerOptions;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.HighAvailabilityOptions;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.state.rocksdb.RocksDBOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import picocli.CommandLine;

/** The files under {@code deploy} that other tools read, and what is asked of those that hold our commands and Flink's settings. */
final class DeploymentFiles {
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    /** Made once: it takes as long as a hundred command lines. */
    static final CommandLine COMMANDS = InferwatchCommand.commandLine();

    private DeploymentFiles() {}

    /** All documents of a YAML file, with anchors and merges resolved; a key that is there twice is an error. */
    static List<Map<String, Object>> documents(Path file) {
        LoaderOptions strict = new LoaderOptions();
        strict.setAllowDuplicateKeys(false);
        List<Map<String, Object>> documents = new ArrayList<>();
        try {
            new Yaml(new SafeConstructor(strict))
                    .loadAll(Files.readString(file))
                    .forEach(document -> documents.add(map(document)));
        } catch (IOException e) {
            throw new AssertionError(file + " cannot be read", e);
        }
        return documents;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> map(Object value) {
        assertThat(value).isInstanceOf(Map.class);
        return (Map<String, Object>) value;
    }

    static List<?> list(Object value) {
        assertThat(value).isInstanceOf(List.class);
        return (List<?>) value;
    }

    /** The arguments must be those of one of our commands; after {@code --} stand those of a job. Returns the names of its options. */
    static CommandLine.ParseResult assertCommand(String where, List<String> arguments) {
        CommandLine.ParseResult parsed;
        try {
            parsed = COMMANDS.parseArgs(arguments.toArray(new String[0]));
        } catch (CommandLine.ParameterException e) {
            throw new AssertionError(where + ": " + arguments + ": " + e.getMessage(), e);
        }
        int dashes = arguments.indexOf("--");
        if (dashes > 0) {
            List<String> job = new ArrayList<>(List.of(arguments.get(2)));
            job.addAll(arguments.subList(dashes + 1, arguments.size()));
            JobMain.parse(job.toArray(new String[0]));
        }
        CommandLine.ParseResult last = parsed;
        while (last.hasSubcommand()) {
            last = last.subcommand();
        }
        Object does = last.commandSpec().userObject();
        assertThat(last.isUsageHelpRequested() || does instanceof Callable<?> || does instanceof Method)
                .as("%s: %s must name a command that does something", where, arguments)
                .isTrue();
        return last;
    }

    /** Every key must be an option of the Flink that the jobs are built with, or of our metric reporter. */
    static void assertFlinkSettings(String where, Set<String> keys) {
        Set<String> known = new HashSet<>();
        for (Class<?> options : List.of(
                BlobServerOptions.class,
                CheckpointingOptions.class,
                CoreOptions.class,
                HighAvailabilityOptions.class,
                JobManagerOptions.class,
                MetricOptions.class,
                StateBackendOptions.class,
                TaskManagerOptions.class,
                RocksDBOptions.class)) {
            for (Field field : options.getFields()) {
                if (Modifier.isStatic(field.getModifiers()) && ConfigOption.class.isAssignableFrom(field.getType())) {
                    try {
                        known.add(((ConfigOption<?>) field.get(null)).key());
                    } catch (IllegalAccessException e) {
                        throw new AssertionError(e);
                    }
                }
            }
        }
        assertThat(keys.stream().filter(key -> !key.startsWith("metrics.reporter.")))
                .as("Flink's settings in %s", where)
                .isSubsetOf(known);
    }
}
