package io.inferwatch.probes.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferwatch.schemas.RequestEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Recorded files for tests: small ones with traps, the agentic trace that the demo replays, and larger ones where they are at hand. */
final class TraceFixtures {
    private TraceFixtures() {}

    /** A small file of this module. */
    static Path small(String name) {
        return Path.of("src/test/resources/traces", name);
    }

    /** The agentic trace, which is part of the repository. */
    static Path agentic() {
        return Path.of("../deploy/local/src/main/resources/io/inferwatch/local/agentic-coding-requests.csv.gz");
    }

    /** A file of the larger collection; the test is skipped where that is not at hand. */
    static Path large(String name) {
        String directory = System.getenv("INFERWATCH_DATA");
        Path file = Path.of(directory == null ? "../../shared/data" : directory).resolve(name);
        assumeTrue(
                Files.isRegularFile(file),
                "skipped: no " + file + "; INFERWATCH_DATA names the directory of larger traces");
        return file;
    }

    /** A file with this text. */
    static Path write(Path directory, String name, String text) {
        try {
            return Files.writeString(directory.resolve(name), text, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Trace read(TraceFormat format, Path file) {
        return Trace.read(List.of(file), TraceOptions.of(format));
    }

    /** The requests in the order of the file. */
    static List<RequestEvent> byRow(Trace trace) {
        List<RequestEvent> events = new ArrayList<>(trace.events());
        events.sort(Comparator.comparingLong(RequestEvent::getRow));
        assertThat(events).extracting(RequestEvent::getRow).doesNotHaveDuplicates();
        return events;
    }

    /** Ends relative to the first, milliseconds, in the trace's order. */
    static List<Long> offsetsMillis(Trace trace) {
        List<Long> offsets = new ArrayList<>();
        for (int i = 0; i < trace.size(); i++) {
            offsets.add((trace.completedMicros(i) - trace.completedMicros(0)) / 1_000);
        }
        return offsets;
    }
}
