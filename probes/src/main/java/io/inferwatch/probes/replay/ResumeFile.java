package io.inferwatch.probes.replay;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * How far a replay has come, so that another process can go on: JSON, replaced as a whole, so that a crash leaves the former state. What
 * it says is acknowledged, is; what came after is sent again under the same numbers.
 */
final class ResumeFile {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .build();

    private final Path file;

    ResumeFile(Path file) {
        this.file = file;
    }

    /**
     * What the file holds.
     *
     * @param replay content and options of the replay that it belongs to, by name
     * @param wallStartMicros when the replay began
     * @param endMicros event time of its last row
     * @param acknowledged for each replica the number below which all its events need not be sent again
     */
    record State(Map<String, String> replay, long wallStartMicros, long endMicros, Map<String, Long> acknowledged) {
        State {
            replay = Collections.unmodifiableMap(new TreeMap<>(replay));
            acknowledged = Collections.unmodifiableMap(new TreeMap<>(acknowledged));
        }
    }

    /**
     * The state of a replay that began earlier, or nothing when there is no file yet.
     *
     * @throws BadTraceException when the file is unreadable or belongs to another replay
     */
    Optional<State> load(Map<String, String> replay) {
        State state;
        try {
            state = JSON.readValue(Files.readAllBytes(file), State.class);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (JacksonException e) {
            throw new BadTraceException("resume file " + file + ": must be one that a replay wrote, found: "
                    + e.getOriginalMessage().lines().findFirst().orElse("something else"));
        } catch (IOException e) {
            throw new BadTraceException("resume file " + file + ": must be readable, found: " + e);
        }
        TreeMap<String, String> all = new TreeMap<>(replay);
        all.putAll(state.replay());
        for (String name : all.keySet()) {
            String before = state.replay().getOrDefault(name, "none");
            String now = replay.getOrDefault(name, "none");
            if (!before.equals(now)) {
                throw new BadTraceException("resume file " + file + ": must be of the same replay, found " + name + " "
                        + before + ", now " + now + "; give another resume file, or delete this one to begin anew");
            }
        }
        return Optional.of(state);
    }

    /**
     * Replaces the file.
     *
     * @throws BadTraceException when it cannot be written
     */
    void save(State state) {
        Path directory = file.toAbsolutePath().getParent();
        Path next = file.resolveSibling(file.getFileName() + ".new");
        try {
            if (directory != null) {
                Files.createDirectories(directory);
            }
            try (FileChannel channel = FileChannel.open(
                    next, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
                ByteBuffer bytes = ByteBuffer.wrap(JSON.writeValueAsBytes(state));
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new BadTraceException("resume file " + file + ": must be writable, found: " + e);
        }
    }
}
