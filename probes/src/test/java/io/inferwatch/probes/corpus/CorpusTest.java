package io.inferwatch.probes.corpus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class CorpusTest {
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-30T03:00:00Z"), ZoneOffset.UTC);
    private static final CleaningSettings SETTINGS =
            new CleaningSettings(Optional.empty(), List.of("US"), 1, Integer.MAX_VALUE);

    @TempDir
    private Path directory;

    private Path sources;
    private Path corpus;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void write() throws IOException {
        sources = Files.createDirectories(directory.resolve("logs"));
        corpus = directory.resolve("corpus");
        Files.writeString(sources.resolve("chat.jsonl"), """
                {"messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"%s and tell anna@example.com about it."}]}
                {"conversations":[{"from":"human","value":"%s"},{"from":"gpt","value":"No."}]}
                {"prompt":"%s and tell bert@example.org about it."}
                {"prompt":"ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha ha"}
                {"answer":42}
                not JSON
                """.formatted(sentence(1), sentence(2), sentence(1)));
        Files.writeString(
                sources.resolve("notes.txt"), sentence(3) + "\n" + sentence(4) + "\n\n\n" + sentence(2) + "\n");
        Files.writeString(sources.resolve("picture.png"), "no text");
    }

    /** Twenty words of which no other number has the same. */
    private static String sentence(int number) {
        return String.join(
                " ",
                IntStream.range(0, 20)
                        .mapToObj(i -> "word" + number + "x" + i * i)
                        .toList());
    }

    @Test
    void everyPromptIsKeptOrCountedAsSomethingElse() throws IOException {
        Corpus.Build build = new Corpus(corpus, SETTINGS, CLOCK).build(List.of(sources));
        assertThat(build.problems()).isEmpty();
        assertThat(build.files()).isEqualTo(2);
        assertThat(build.passedOver()).isEqualTo(1);
        Counts counts = build.counts();
        // With both addresses gone the first and third are one prompt; the second stands in the notes too.
        assertThat(counts).isEqualTo(new Counts(6, 3, 2, 2, 1, 0, Map.of("mail", 2L)));
        List<String> texts = Snapshot.open(corpus).prompts(PromptStructure.PLAIN).stream()
                .map(Prompt::text)
                .toList();
        assertThat(texts)
                .containsExactly(
                        sentence(1) + " and tell [MAIL] about it.", sentence(2), sentence(3) + "\n" + sentence(4));
        assertThat(Corpus.verify(Snapshot.open(corpus))).isEmpty();
    }

    @Test
    void theNextDayOnlyWhatIsNewIsRead() throws IOException {
        Corpus.Build first = new Corpus(corpus, SETTINGS, CLOCK).build(List.of(sources));
        assertThat(first.read()).isEqualTo(2);
        Corpus.Build same = new Corpus(corpus, SETTINGS, CLOCK).build(List.of(sources));
        assertThat(same.read()).isZero();
        assertThat(same.snapshot()).isNull();
        assertThat(same.counts()).isEqualTo(first.counts());
        Files.writeString(sources.resolve("more.md"), sentence(5));
        Files.delete(sources.resolve("chat.jsonl"));
        Corpus.Build next = new Corpus(corpus, SETTINGS, CLOCK).build(List.of(sources));
        assertThat(next.read()).isEqualTo(1);
        assertThat(Snapshot.open(corpus).manifest().number()).isEqualTo(2);
        // What was a repetition of the file that is gone stands for itself now.
        assertThat(Snapshot.open(corpus).prompts())
                .extracting(Prompt::text)
                .containsExactly(sentence(5), sentence(3) + "\n" + sentence(4), sentence(2));
        assertThat(Snapshot.all(corpus)).hasSize(2);
        CleaningSettings shorter = new CleaningSettings(Optional.empty(), List.of("US"), 1, 150);
        assertThat(new Corpus(corpus, shorter, CLOCK).build(List.of(sources)).read())
                .isEqualTo(2);
    }

    @Test
    void aSnapshotThatWasTouchedIsNotUsed() throws IOException {
        new Corpus(corpus, SETTINGS, CLOCK).build(List.of(sources));
        Snapshot snapshot = Snapshot.open(corpus);
        Path prompts = snapshot.directory().resolve(Snapshot.PROMPTS);
        assertThat(run("verify", corpus.toString())).isZero();
        Path copy = Files.createDirectories(directory.resolve("copy"));
        Files.copy(snapshot.directory().resolve(Snapshot.MANIFEST), copy.resolve(Snapshot.MANIFEST));
        Files.writeString(
                copy.resolve(Snapshot.PROMPTS), Files.readString(prompts).replace("word2x0", "other"));
        assertThatThrownBy(() -> Snapshot.open(copy).prompts())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must have SHA-256");
        assertThat(run("verify", copy.toString())).isEqualTo(1);
        assertThat(out.toString()).contains("must have SHA-256");
    }

    @Test
    void promptsThatCannotStandForTrafficAreNotWritten() throws IOException {
        Files.writeString(sources.resolve("chat.jsonl"), "{\"prompt\":\"Hi there\"}\n{\"prompt\":\"Hello you\"}\n");
        assertThat(run("build", sources.toString(), "--corpus", corpus.toString()))
                .isEqualTo(1);
        assertThat(err.toString()).contains("tokens: must be at least 15 at P10, found 2");
        assertThat(Snapshot.all(corpus)).isEmpty();
        assertThat(run("build", sources.toString(), "--corpus", corpus.toString(), "--tokens", "15,2048"))
                .isZero();
        assertThat(out.toString())
                .contains("2 outside of the lengths")
                .containsPattern("snapshot .*00001-[0-9a-f]{16}");
    }

    @Test
    void whatIsWrongIsSaidInOneLine() {
        assertThat(run("build", directory.resolve("nowhere").toString(), "--corpus", corpus.toString()))
                .isEqualTo(2);
        assertThat(run("build", sources.toString(), "--corpus", corpus.toString(), "--regions", "XX"))
                .isEqualTo(2);
        assertThat(run("build", sources.toString(), "--corpus", corpus.toString(), "--tokens", "5"))
                .isEqualTo(2);
        assertThat(run("verify", directory.toString())).isEqualTo(2);
        assertThat(err.toString().lines())
                .containsExactly(
                        "inferwatch corpus build: " + directory.resolve("nowhere")
                                + ": must be a directory or a file, found nothing there",
                        "inferwatch corpus build: --regions: must be countries' codes such as US,DE, found [XX]",
                        "inferwatch corpus build: --tokens: must be MIN,MAX, found [5]",
                        "inferwatch corpus verify: " + directory
                                + ": must be a corpus or a snapshot of one, found neither");
    }

    /** As the makers of the vocabulary number them; what controls a model is text within a prompt. */
    @Test
    void tokensAreThoseOfTheVocabulary() {
        Tokens tokens = new Tokens();
        assertThat(tokens.of("hello world")).containsExactly(24912, 2375);
        assertThat(tokens.count("<|endoftext|>")).isGreaterThan(1);
    }

    @Test
    void structuresCostTokens() throws IOException {
        Quality quality =
                new Corpus(corpus, SETTINGS, CLOCK).build(List.of(sources)).quality();
        assertThat(quality.inflation().get("plain")).isEqualTo(1);
        assertThat(quality.inflation().get("json")).isGreaterThan(1.2);
        assertThat(quality.inflation().get("xml"))
                .isGreaterThan(quality.inflation().get("json"));
        assertThat(PromptStructure.JSON.of("say \"no\"\n")).contains("\"value\":\"say \\\"no\\\"\\n\"");
        assertThat(PromptStructure.XML.of("a < b & c")).contains("<value>a &lt; b &amp; c</value>");
    }

    private int run(String... arguments) {
        return new CommandLine(new CorpusCommand())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }
}
