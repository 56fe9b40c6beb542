package io.inferwatch.local;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;

/**
 * Runs the body of a command that starts servers: alone on its data directory, its log in a file there, until it returns or Ctrl-C or SIGTERM
 * interrupts its thread. Then the JVM waits until the body has closed what it opened.
 */
final class Foreground {
    private static final Duration CLOSING_PATIENCE = Duration.ofSeconds(60);

    /** What the command does; an interrupt tells it to close everything and go. */
    @FunctionalInterface
    interface Body {
        int run(Path log) throws InterruptedException;
    }

    private Foreground() {}

    /**
     * Runs the body on the calling thread and returns its exit status. That it was stopped is said here, for the JVM ends as soon as this returns then.
     *
     * @param commandLine whose body it is
     */
    static int run(CommandLine commandLine, Path data, Body body) throws InterruptedException {
        CountDownLatch closed = new CountDownLatch(1);
        Thread command = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(command, closed), "stop"));
        try {
            DataLock lock = DataLock.take(data);
            try {
                return body.run(StackLog.in(data));
            } finally {
                lock.close();
            }
        } catch (InterruptedException | RuntimeException e) {
            if (FailureHandler.wasInterrupted(e)) {
                return FailureHandler.stopped(commandLine);
            }
            throw e;
        } finally {
            closed.countDown();
        }
    }

    private static void stop(Thread command, CountDownLatch closed) {
        if (closed.getCount() == 0) {
            return;
        }
        command.interrupt();
        try {
            if (!closed.await(CLOSING_PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                command.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
