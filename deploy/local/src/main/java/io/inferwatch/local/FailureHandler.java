package io.inferwatch.local;

import io.inferwatch.influx.InfluxConfigurationException;
import io.inferwatch.influx.InfluxQueryException;
import io.inferwatch.influx.InfluxUnavailableException;
import io.inferwatch.local.remote.FlinkRefusalException;
import io.inferwatch.local.remote.UnreachableFlinkException;
import io.inferwatch.probes.publish.UnreachableKafkaException;
import io.inferwatch.probes.replay.BadTraceException;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.servers.ServerStartException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/** Says in one message why a command failed: status 2 for what the caller can put right, 130 after Ctrl-C, else 1, with the details in the log where they are this process's. */
final class FailureHandler implements IExecutionExceptionHandler {
    private static final Logger LOG = LoggerFactory.getLogger(FailureHandler.class);
    private static final int FAILED = 1;
    private static final int BAD_INPUT = 2;
    private static final int INTERRUPTED = 130;

    private static final List<Class<? extends Exception>> BAD_INPUTS = List.of(
            CommandLineException.class,
            ServerStartException.class,
            InvalidSettingsException.class,
            InfluxConfigurationException.class,
            InfluxUnavailableException.class,
            InfluxQueryException.class,
            UnreachableFlinkException.class,
            UnreachableKafkaException.class,
            BadTraceException.class);

    @Override
    public int handleExecutionException(Exception failure, CommandLine command, ParseResult arguments) {
        String name = command.getCommandSpec().qualifiedName();
        if (wasInterrupted(failure)) {
            return stopped(command);
        }
        command.getErr().println(name + ": " + message(failure));
        command.getErr().flush();
        if (failure instanceof FlinkRefusalException) {
            return FAILED;
        }
        if (BAD_INPUTS.stream().anyMatch(type -> type.isInstance(failure))) {
            return BAD_INPUT;
        }
        LOG.error("{} failed", name, failure);
        return FAILED;
    }

    /** Says that a command was stopped, and returns its exit status. */
    static int stopped(CommandLine command) {
        command.getErr().println(command.getCommandSpec().qualifiedName() + ": stopped");
        command.getErr().flush();
        return INTERRUPTED;
    }

    /** Whether an interrupt lies behind the failure. */
    static boolean wasInterrupted(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof InterruptedException) {
                return true;
            }
        }
        return Thread.currentThread().isInterrupted();
    }

    private static String message(Exception failure) {
        return failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }
}
