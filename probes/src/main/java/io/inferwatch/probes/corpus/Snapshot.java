package io.inferwatch.probes.corpus;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.inferwatch.probes.replay.TraceFile;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A corpus as it was on one day: a directory {@code NUMBER-SHA256} of a file of prompts, a line each, and a manifest. Written whole or not at all, and never changed after that; the name says what must be in it.
 */
public final class Snapshot {
    static final String PROMPTS = "prompts.jsonl";
    static final String MANIFEST = "manifest.json";

    static final ObjectMapper JSON = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    private static final Pattern NAME = Pattern.compile("\\d{5}-[0-9a-f]{16}");
    private static final int NAME_DIGITS = 16;

    private final Path directory;
    private final Manifest manifest;

    private Snapshot(Path directory, Manifest manifest) {
        this.directory = directory;
        this.manifest = manifest;
    }

    /**
     * The snapshot in a directory, or the newest of a corpus.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static Snapshot open(Path path) {
        if (Files.exists(path.resolve(MANIFEST))) {
            return read(path);
        }
        List<Path> all = all(path);
        if (all.isEmpty()) {
            throw new IllegalArgumentException(path + ": must be a corpus or a snapshot of one, found neither");
        }
        return read(all.get(all.size() - 1));
    }

    /** The directories of a corpus's snapshots, oldest first. */
    static List<Path> all(Path corpus) {
        if (!Files.isDirectory(corpus)) {
            return List.of();
        }
        try (Stream<Path> inside = Files.list(corpus)) {
            return inside.filter(
                            path -> NAME.matcher(path.getFileName().toString()).matches())
                    .sorted(Comparator.comparing(path -> path.getFileName().toString()))
                    .toList();
        } catch (IOException e) {
            throw new IllegalArgumentException(corpus + ": must be readable, found " + e);
        }
    }

    static Snapshot read(Path directory) {
        try {
            return new Snapshot(
                    directory, JSON.readValue(directory.resolve(MANIFEST).toFile(), Manifest.class));
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    directory.resolve(MANIFEST) + ": must be a manifest, found " + firstLine(e));
        }
    }

    /**
     * Writes a snapshot.
     *
     * @param unsigned the manifest but for the hash, which comes from the prompts
     * @return empty where the one before has the same prompts
     */
    static Optional<Snapshot> write(Path corpus, Manifest unsigned, List<Prompt> prompts, Optional<Snapshot> before)
            throws IOException {
        Path draft = Files.createTempDirectory(corpus, ".draft-");
        Path file = draft.resolve(PROMPTS);
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            for (Prompt prompt : prompts) {
                out.write(JSON.writer()
                        .without(SerializationFeature.INDENT_OUTPUT)
                        .writeValueAsString(prompt));
                out.write('\n');
            }
        }
        String sha256 = TraceFile.sha256(file);
        if (before.isPresent() && before.get().manifest.sha256().equals(sha256)) {
            Files.delete(file);
            Files.delete(draft);
            return Optional.empty();
        }
        Manifest manifest = new Manifest(
                unsigned.number(),
                unsigned.createdAt(),
                sha256,
                unsigned.vocabulary(),
                unsigned.cleaning(),
                unsigned.regions(),
                unsigned.sources(),
                unsigned.counts(),
                unsigned.quality());
        JSON.writeValue(draft.resolve(MANIFEST).toFile(), manifest);
        for (Path written : List.of(file, draft.resolve(MANIFEST))) {
            if (!written.toFile().setReadOnly()) {
                throw new IOException(written + " cannot be made read-only");
            }
        }
        Path directory = corpus.resolve("%05d-%s".formatted(manifest.number(), sha256.substring(0, NAME_DIGITS)));
        Files.move(draft, directory, StandardCopyOption.ATOMIC_MOVE);
        return Optional.of(new Snapshot(directory, manifest));
    }

    Path directory() {
        return directory;
    }

    Manifest manifest() {
        return manifest;
    }

    /** Name by which runs tell what they were made of. */
    public String name() {
        return directory.getFileName().toString();
    }

    /** What differs between the prompts' file and its name and manifest; empty when it is as it was written. */
    Optional<String> difference() {
        String sha256 = TraceFile.sha256(directory.resolve(PROMPTS));
        boolean isSame = sha256.equals(manifest.sha256())
                && (!NAME.matcher(name()).matches() || name().endsWith(sha256.substring(0, NAME_DIGITS)));
        return isSame
                ? Optional.empty()
                : Optional.of(
                        directory.resolve(PROMPTS) + ": must have SHA-256 " + manifest.sha256() + ", found " + sha256);
    }

    /**
     * The prompts, once they are known to be those that were written.
     *
     * @throws IllegalArgumentException when they are not
     */
    List<Prompt> prompts() {
        difference().ifPresent(difference -> {
            throw new IllegalArgumentException(difference);
        });
        List<Prompt> prompts = new ArrayList<>();
        TraceFile.read(directory.resolve(PROMPTS), prompts::size, reader -> {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                prompts.add(JSON.readValue(line, Prompt.class));
            }
        });
        return prompts;
    }

    /** The prompts in one structure, with the tokens that it has in it. */
    public List<Prompt> prompts(PromptStructure structure) {
        List<Prompt> plain = prompts();
        if (structure == PromptStructure.PLAIN) {
            return plain;
        }
        Tokens vocabulary = new Tokens();
        return plain.stream()
                .map(prompt -> structure.of(prompt.text()))
                .map(text -> new Prompt(text, vocabulary.count(text)))
                .toList();
    }

    private static String firstLine(IOException e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }
}
