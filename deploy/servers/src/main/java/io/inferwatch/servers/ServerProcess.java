package io.inferwatch.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * One server in a process of its own, with its output in a log file. It never outlives this JVM, however that ends: a shell in front of it keeps a
 * watcher on the pipe that this JVM holds open, and the watcher terminates the server at the pipe's end, by force after ten seconds. The server has
 * its own session where the system offers that, so that Ctrl-C reaches only this JVM, which can then stop things in order.
 */
final class ServerProcess {
    /** The shell's process becomes the server by exec: this JVM holds the server's own process id, and a SIGKILL hits the server itself. */
    private static final String WATCHED = """
            exec 3<&0 </dev/null
            (
              cat <&3 >/dev/null
              kill -TERM $$ || exit 0
              tries=0
              while kill -0 $$ && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
              kill -KILL $$
            ) >/dev/null 2>&1 &
            exec 3<&-
            exec "$@"
            """;

    private static final Duration PROBE_PAUSE = Duration.ofMillis(20);
    private static final int LOG_LINES_SHOWN = 15;

    private final String name;
    private final Path log;
    private final long logStart;
    private final Process process;

    private ServerProcess(String name, Path log, long logStart, Process process) {
        this.name = name;
        this.log = log;
        this.logStart = logStart;
        this.process = process;
    }

    /** Starts the command; its standard output and error are appended to {@code log}. */
    static ServerProcess start(String name, List<String> command, Map<String, String> environment, Path log) {
        List<String> watched = new ArrayList<>();
        if (Files.isExecutable(Path.of("/usr/bin/setsid"))) {
            watched.add("/usr/bin/setsid");
        }
        watched.addAll(List.of("/bin/sh", "-c", WATCHED, name));
        watched.addAll(command);
        try {
            long logStart = Files.exists(log) ? Files.size(log) : 0;
            ProcessBuilder builder = new ProcessBuilder(watched)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
            builder.environment().putAll(environment);
            return new ServerProcess(name, log, logStart, builder.start());
        } catch (IOException e) {
            throw new ServerStartException(name + ": cannot be started: " + e.getMessage(), e);
        }
    }

    /** Returns once the probe answers true; throws when the process ends before that or the patience is over, and leaves no process then. */
    void awaitReady(BooleanSupplier probe, Duration patience) {
        long deadlineNanos = System.nanoTime() + patience.toNanos();
        while (!probe.getAsBoolean()) {
            if (!process.isAlive()) {
                throw failure("ended with exit status " + process.exitValue() + " before it was ready");
            }
            if (System.nanoTime() > deadlineNanos) {
                kill();
                throw failure("was not ready within " + patience.toSeconds() + " s");
            }
            LockSupport.parkNanos(PROBE_PAUSE.toNanos());
            if (Thread.currentThread().isInterrupted()) {
                kill();
                throw failure("start was interrupted");
            }
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** Asks the server to end, and insists once the patience is over. */
    void stop(Duration patience) {
        process.destroy();
        if (!awaitEnd(patience)) {
            kill();
        }
    }

    /** SIGKILL: the server has no chance to write anything more. Returns when it is gone. */
    void kill() {
        process.destroyForcibly();
        awaitEnd(Duration.ofSeconds(30));
    }

    private boolean awaitEnd(Duration patience) {
        boolean interrupted = Thread.interrupted();
        long deadlineNanos = System.nanoTime() + patience.toNanos();
        try {
            while (true) {
                try {
                    return process.waitFor(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private ServerStartException failure(String what) {
        return new ServerStartException(name + ": " + what + "; the last lines of " + log + ":\n" + lastLines());
    }

    private String lastLines() {
        try (var in = Files.newInputStream(log)) {
            in.skipNBytes(Math.max(logStart, Files.size(log) - 64 * 1024));
            List<String> lines = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES_SHOWN), lines.size()));
        } catch (IOException e) {
            return "(no log: " + e.getMessage() + ")";
        }
    }

    /** Throws when somebody listens on the port already: a probe of readiness would take a stranger for the server. */
    static void requireFree(String name, int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            assert socket.isBound();
        } catch (IOException e) {
            throw new ServerStartException(
                    name + ": port " + port + " on loopback must be free, found it taken: " + e.getMessage(), e);
        }
    }

    /** Distinct ports on loopback that nobody listens on at this moment. */
    static List<Integer> freePorts(int count) {
        Set<ServerSocket> held = new HashSet<>();
        List<Integer> ports = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                held.add(socket);
                ports.add(socket.getLocalPort());
            }
            for (ServerSocket socket : held) {
                socket.close();
            }
            return ports;
        } catch (IOException e) {
            throw new UncheckedIOException("no free port on loopback", e);
        }
    }
}
