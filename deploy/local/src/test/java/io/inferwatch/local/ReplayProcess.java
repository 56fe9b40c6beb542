package io.inferwatch.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code inferwatch replay} as users run it: a process of its own, which can be killed and started again. */
final class ReplayProcess implements AutoCloseable {
    private final List<String> command;
    private final Path log;
    private Process process;

    private ReplayProcess(List<String> command, Path log) {
        this.command = command;
        this.log = log;
        this.process = launch();
    }

    static ReplayProcess start(Path log, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                InferwatchCommand.class.getName(),
                "replay"));
        command.addAll(List.of(arguments));
        return new ReplayProcess(command, log);
    }

    /** SIGKILL, then the same command again. */
    void killAndRestart() {
        process.destroyForcibly().onExit().join();
        process = launch();
    }

    /** Fails the test, with what the process said, when it has ended otherwise than well. */
    void assertSound() {
        if (!process.isAlive() && process.exitValue() != 0) {
            throw new AssertionError("the replay ended with " + process.exitValue() + ":\n" + output());
        }
    }

    /** Waits until it has ended, and well. */
    void awaitEnd(Duration patience) throws InterruptedException {
        if (!process.waitFor(patience.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("the replay did not end within " + patience.toSeconds() + " s:\n" + output());
        }
        assertSound();
    }

    /** What it has said so far. */
    String output() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    private Process launch() {
        try {
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
        } catch (IOException e) {
            throw new IllegalStateException("java cannot be started", e);
        }
    }
}
