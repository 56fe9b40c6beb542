package io.inferwatch.probes.corpus;

import io.inferwatch.probes.corpus.Manifest.SourceFile;
import io.inferwatch.probes.replay.TraceFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A directory of snapshots. A build looks at all source files and cleans those whose content, or whose way of being cleaned, is new; what was cleaned of the others is kept beside the snapshots, in {@code cleaned}. Originals are never
 * copied. One build at a time; all prompts are in memory.
 */
final class Corpus {
    private static final String CLEANED = "cleaned";

    private final Path directory;
    private final CleaningSettings settings;
    private final Clock clock;
    private final Cleaner cleaner;
    private final Tokens vocabulary = new Tokens();

    /**
     * What a build did.
     *
     * @param read files that were cleaned, as against known from before
     * @param passedOver files of other kinds
     * @param snapshot the new one; null where nothing has changed, or where the prompts are not fit
     * @param problems why they are not
     */
    record Build(
            int files,
            int read,
            int passedOver,
            Counts counts,
            Quality quality,
            @Nullable Snapshot snapshot,
            List<String> problems) {}

    Corpus(Path directory, CleaningSettings settings, Clock clock) {
        this.directory = directory;
        this.settings = settings;
        this.clock = clock;
        this.cleaner = new Cleaner(settings.regions());
    }

    /**
     * Builds a snapshot of all files in directories.
     *
     * @throws io.inferwatch.probes.replay.BadTraceException when a file cannot be read
     * @throws IllegalArgumentException when another build is at work, or there are no files
     */
    Build build(List<Path> sources) throws IOException {
        List<Path> all = new ArrayList<>();
        for (Path source : sources) {
            all.addAll(files(source));
        }
        List<Path> files = all.stream().filter(PromptFile::isOne).toList();
        if (files.isEmpty()) {
            throw new IllegalArgumentException(
                    sources + ": must hold files .jsonl, .ndjson, .txt or .md, plain or .gz, found none");
        }
        Files.createDirectories(directory.resolve(CLEANED));
        try (FileChannel channel = FileChannel.open(
                        directory.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            if (lock == null) {
                throw new IllegalArgumentException(
                        directory + ": must have one build at a time, found another at work");
            }
            return build(files, all.size() - files.size());
        }
    }

    private Build build(List<Path> files, int passedOver) throws IOException {
        Set<String> seen = new HashSet<>();
        Set<Path> used = new HashSet<>();
        List<Prompt> prompts = new ArrayList<>();
        List<SourceFile> sources = new ArrayList<>();
        Counts counts = Counts.NONE;
        int read = 0;
        for (Path file : files) {
            String sha256 = TraceFile.sha256(file);
            Path known = directory.resolve(CLEANED).resolve(sha256 + "-" + settings.key() + ".json");
            boolean isNew = !Files.exists(known);
            CleanedFile cleaned = isNew
                    ? CleanedFile.of(new PromptFile(file, settings.field()), settings, cleaner, vocabulary)
                    : Snapshot.JSON.readValue(known.toFile(), CleanedFile.class);
            if (isNew) {
                read++;
                Snapshot.JSON.writeValue(known.toFile(), cleaned);
            }
            used.add(known);
            List<Prompt> own = cleaned.prompts().stream()
                    .filter(prompt -> seen.add(prompt.text()))
                    .toList();
            prompts.addAll(own);
            counts = counts.plus(
                    cleaned.counts().repeatedElsewhere(cleaned.prompts().size() - own.size()));
            sources.add(new SourceFile(file.toString(), sha256, own.size()));
        }
        forget(used);
        Quality quality = Quality.of(prompts, vocabulary);
        List<String> problems = quality.problems();
        Snapshot snapshot = problems.isEmpty() ? write(prompts, sources, counts, quality) : null;
        return new Build(files.size(), read, passedOver, counts, quality, snapshot, problems);
    }

    private @Nullable Snapshot write(List<Prompt> prompts, List<SourceFile> sources, Counts counts, Quality quality)
            throws IOException {
        List<Path> before = Snapshot.all(directory);
        Optional<Snapshot> newest =
                before.isEmpty() ? Optional.empty() : Optional.of(Snapshot.read(before.get(before.size() - 1)));
        Manifest manifest = new Manifest(
                newest.map(snapshot -> snapshot.manifest().number() + 1).orElse(1),
                clock.instant().toString(),
                "",
                Tokens.VOCABULARY,
                settings.description(),
                settings.regions(),
                sources,
                counts,
                quality);
        return Snapshot.write(directory, manifest, prompts, newest).orElse(null);
    }

    /** What was cleaned of files that are gone or have changed since. */
    private void forget(Set<Path> used) throws IOException {
        try (Stream<Path> known = Files.list(directory.resolve(CLEANED))) {
            for (Path path : known.filter(path -> !used.contains(path)).toList()) {
                Files.delete(path);
            }
        }
    }

    private static List<Path> files(Path source) throws IOException {
        if (!Files.exists(source)) {
            throw new IllegalArgumentException(source + ": must be a directory or a file, found nothing there");
        }
        try (Stream<Path> all = Files.walk(source)) {
            return all.filter(Files::isRegularFile)
                    .sorted(Comparator.comparing(Path::toString))
                    .toList();
        }
    }

    /** What is wrong with a snapshot: other content than was written, other figures than its manifest has, personal data that would be found today. */
    static List<String> verify(Snapshot snapshot) {
        List<String> problems = new ArrayList<>();
        Optional<String> difference = snapshot.difference();
        if (difference.isPresent()) {
            return List.of(difference.get());
        }
        Manifest manifest = snapshot.manifest();
        List<Prompt> prompts = snapshot.prompts();
        Quality quality = Quality.of(prompts, new Tokens());
        if (!quality.equals(manifest.quality())) {
            problems.add("quality: must be as its prompts are, " + quality + ", found " + manifest.quality());
        }
        if (manifest.counts().kept() != prompts.size()) {
            problems.add("kept: must be the number of prompts, " + prompts.size() + ", found "
                    + manifest.counts().kept());
        }
        problems.addAll(quality.problems());
        Cleaner cleaner = new Cleaner(manifest.regions());
        long withData = prompts.stream()
                .filter(prompt -> !cleaner.spans(prompt.text()).isEmpty())
                .count();
        if (withData > 0) {
            problems.add("prompts: must hold no personal data that is found today, found it in " + withData);
        }
        return problems;
    }
}
