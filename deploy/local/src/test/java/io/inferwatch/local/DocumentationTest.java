package io.inferwatch.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.local.docs.MarkdownFile;
import io.inferwatch.local.docs.SettingsReference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The Markdown of the whole repository: reference pages are those of the code, command lines are ours, links lead somewhere. */
class DocumentationTest {
    private static final Path REPOSITORY = Path.of("../..").toAbsolutePath().normalize();
    private static final List<MarkdownFile> FILES = MarkdownFile.in(REPOSITORY);

    @Test
    void theReferencePagesAreThoseOfTheCode() throws IOException {
        for (Map.Entry<String, String> page :
                DocumentationFiles.pages(REPOSITORY).entrySet()) {
            assertThat(Files.readString(DocumentationFiles.directory(REPOSITORY).resolve(page.getKey())))
                    .as("%s is stale: %s writes it", page.getKey(), DocumentationFiles.RENEWED_BY)
                    .isEqualTo(page.getValue());
        }
    }

    @Test
    void noReferencePageTellsOfThisMachineOrLeavesAVariableOpen() {
        String home = System.getProperty("user.home");
        DocumentationFiles.pages(REPOSITORY).values().forEach(page -> assertThat(page)
                .doesNotContain("${", REPOSITORY.toString(), home + "/"));
    }

    @Test
    void anExampleOfSettingsThatDoesNotTellThemAllIsFound(@TempDir Path examples) throws IOException {
        assertThatThrownBy(() -> withChange(examples, "proxy.yaml", "#limit-mib", "#limit-mb"))
                .hasMessageContaining("proxy.yaml shows what nobody reads: spool.limit-mb");
        assertThatThrownBy(() -> withChange(examples, "proxy.yaml", "\nspool: ", "\n# spool: "))
                .hasMessageContaining("proxy.yaml timeouts.directory: unknown key");
        assertThatThrownBy(() -> withChange(examples, "fleet.yaml", "  expert: 64\n", ""))
                .hasMessageContaining("fleet.yaml must show values.expert");
        assertThatThrownBy(() -> withChange(
                        examples,
                        "measure.yaml",
                        "# how long after its pane's end an event still corrects windows",
                        ""))
                .hasMessageContaining("measure.yaml must say what lateness means");
        assertThatThrownBy(() -> withChange(examples, "gpu.yaml", "  #proc: /proc", "  proc: 1"))
                .hasMessageContaining("gpu.yaml host.proc: must be a text in quotes, found 1");
    }

    /** The reference by the examples, of which one says something else. */
    private static void withChange(Path examples, String name, String from, String to) throws IOException {
        Path committed = DocumentationFiles.directory(REPOSITORY).resolve("settings");
        try (Stream<Path> files = Files.list(committed)) {
            for (Path file : files.toList()) {
                String text = Files.readString(file);
                boolean isChanged = file.getFileName().toString().equals(name);
                assertThat(!isChanged || text.contains(from)).isTrue();
                Files.writeString(examples.resolve(file.getFileName()), isChanged ? text.replace(from, to) : text);
            }
        }
        new SettingsReference(examples).text();
    }

    @Test
    void everyCommandLineIsOneOfOurs() {
        List<MarkdownFile.Command> commands =
                FILES.stream().flatMap(file -> file.commands().stream()).toList();
        assertThat(commands).hasSizeGreaterThan(100);
        List<String> problems = new ArrayList<>();
        commands.forEach(command -> problem(command).ifPresent(problems::add));
        assertThat(problems).isEmpty();
    }

    @Test
    void aCommandLineThatIsNoneOfOursIsFound() {
        MarkdownFile file = new MarkdownFile(
                Path.of("page.md"),
                List.of(
                        "See `inferwatch probe proxy --listen 1` and `inferwatch probe proxi`.",
                        "Type `./inferwatch tenant resolve` or `inferwatch events tail --cey x`.",
                        "```",
                        "$ inferwatch events tail windows \\",
                        "    --limits 3   # too many",
                        "LANG=C ./inferwatch events tail windows --limit 3   # as it must be",
                        "./inferwatch job submit measure -- --cataloge x",
                        "./inferwatch probe",
                        "```"));
        List<String> problems = new ArrayList<>();
        file.commands().forEach(command -> problem(command).ifPresent(problems::add));
        assertThat(problems).hasSize(6);
        assertThat(problems.get(0)).startsWith("page.md:1").contains("no command proxi");
        assertThat(problems.get(1)).startsWith("page.md:2").contains("NAME");
        assertThat(problems.get(2)).startsWith("page.md:2").contains("no option --cey");
        assertThat(problems.get(3)).startsWith("page.md:4").contains("--limits");
        assertThat(problems.get(4)).startsWith("page.md:7").contains("--cataloge");
        assertThat(problems.get(5)).startsWith("page.md:8").contains("must name a command that does something");
    }

    @Test
    void everyLinkLeadsSomewhere() {
        Map<Path, MarkdownFile> byPath = new HashMap<>();
        FILES.forEach(file -> byPath.put(file.path(), file));
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (MarkdownFile file : FILES) {
            for (MarkdownFile.Link link : file.links()) {
                links++;
                String[] parts = link.target().split("#", 2);
                Path target = parts[0].isEmpty()
                        ? file.path()
                        : file.path().resolveSibling(parts[0]).normalize();
                MarkdownFile page = byPath.get(target);
                boolean isAnchored =
                        parts.length == 1 || (page != null && page.anchors().contains(parts[1]));
                if (!Files.exists(target) || !isAnchored) {
                    broken.add(link.where() + ": " + link.target());
                }
            }
        }
        assertThat(broken).isEmpty();
        assertThat(links).isGreaterThan(40);
    }

    @Test
    void everyPageIsReachedFromTheReadme() {
        Map<Path, MarkdownFile> byPath = new HashMap<>();
        FILES.forEach(file -> byPath.put(file.path(), file));
        List<Path> reached = new ArrayList<>(List.of(REPOSITORY.resolve("README.md")));
        for (int i = 0; i < reached.size(); i++) {
            Path from = reached.get(i);
            for (MarkdownFile.Link link : byPath.get(from).links()) {
                Path target = from.resolveSibling(link.target().replaceFirst("#.*", ""))
                        .normalize();
                if (byPath.containsKey(target) && !reached.contains(target)) {
                    reached.add(target);
                }
            }
        }
        assertThat(byPath.keySet()).isSubsetOf(reached);
    }

    private static Optional<String> problem(MarkdownFile.Command command) {
        if (!command.isWhole()) {
            return unknown(command);
        }
        try {
            DeploymentFiles.assertCommand(command.where(), command.arguments());
            return Optional.empty();
        } catch (AssertionError | IllegalArgumentException e) {
            return Optional.of(command.where() + ": " + e.getMessage());
        }
    }

    /** Of a command line that only names what is meant: its words must be commands, its options theirs. */
    private static Optional<String> unknown(MarkdownFile.Command line) {
        CommandSpec command = DeploymentFiles.COMMANDS.getCommandSpec();
        List<String> words = line.arguments();
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            CommandLine sub = command.subcommands().get(word);
            if (sub != null) {
                command = sub.getCommandSpec();
            } else if (word.startsWith("-")) {
                OptionSpec option = command.findOption(word.replaceFirst("=.*", ""));
                if (option == null) {
                    return Optional.of(line.where() + ": no option " + word);
                }
                i += option.arity().max() > 0 && !word.contains("=") ? 1 : 0;
            } else if (command.positionalParameters().isEmpty() && !word.equals("…")) {
                return Optional.of(line.where() + ": no command " + word);
            }
        }
        return Optional.empty();
    }
}
