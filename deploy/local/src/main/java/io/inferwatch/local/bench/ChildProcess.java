package io.inferwatch.local.bench;

import io.inferwatch.servers.KafkaBroker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs a contestant in a JVM of its own, with this JVM's class path, a heap of 3 GB and the parallel collector. */
final class ChildProcess {
    private static final Duration PATIENCE = Duration.ofMinutes(30);
    private static final int TAIL = 4_000;

    private ChildProcess() {}

    static SteadyState measure(KafkaBroker broker, LoadedTopic topic, Contestant contestant, @Nullable Path recordings)
            throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("inferwatch-bench-");
        try {
            Path output = directory.resolve("output.log");
            Process process = new ProcessBuilder(command(broker, topic, contestant, recordings, directory))
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            Thread killer = new Thread(process::destroyForcibly);
            Runtime.getRuntime().addShutdownHook(killer);
            boolean ended;
            try {
                ended = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            } finally {
                process.destroyForcibly();
                Runtime.getRuntime().removeShutdownHook(killer);
            }
            String text = Files.readString(output, StandardCharsets.UTF_8);
            return SteadyState.parse(text)
                    .filter(steady -> ended && process.exitValue() == 0)
                    .orElseThrow(() -> new IllegalStateException(contestant.title() + ": "
                            + (ended ? "ended without a result" : "took longer than " + PATIENCE.toMinutes() + " min")
                            + "; the end of its output:\n" + text.substring(Math.max(0, text.length() - TAIL))));
        } finally {
            delete(directory);
        }
    }

    private static List<String> command(
            KafkaBroker broker, LoadedTopic topic, Contestant contestant, @Nullable Path recordings, Path directory) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx3g",
                "-XX:+UseParallelGC",
                "-Djava.io.tmpdir=" + directory,
                "-Dlog4j2.configurationFile=classpath:io/inferwatch/local/bench/log4j2-bench.properties"));
        if (recordings != null) {
            command.add("-XX:StartFlightRecording=settings=profile,filename="
                    + recordings.resolve(contestant.label() + ".jfr").toAbsolutePath());
        }
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                PipelineChild.class.getName(),
                contestant.label(),
                broker.bootstrapServers(),
                Long.toString(topic.records()),
                directory.toString(),
                Long.toString(broker.pid().orElseThrow())));
        return command;
    }

    static void delete(Path directory) throws IOException {
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure) throws IOException {
                Files.delete(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
