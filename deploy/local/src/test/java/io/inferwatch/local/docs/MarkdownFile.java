package io.inferwatch.local.docs;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Markdown file, as far as it can be wrong of itself: command lines of ours, links, headings.
 *
 * @param path of the file
 * @param lines without line ends
 */
public record MarkdownFile(Path path, List<String> lines) {
    private static final String FENCE = "```";
    private static final Pattern COMMAND = Pattern.compile("(?:\\$ )?(?:[A-Z_]+=\\S+ )*((?:\\./)?inferwatch [a-z-].*)");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\(([^)\\s]+)\\)");
    private static final Set<String> SKIPPED = Set.of("target", "node_modules");

    /**
     * A command line.
     *
     * @param where file and line
     * @param isWhole whether it can be typed as it stands: in a block, or with the launcher's name; else it may only name what is meant
     */
    public record Command(String where, String text, boolean isWhole) {
        private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|'([^']*)'|(\\S+)");

        /** Its arguments, without a comment or where its output goes; of alternatives {@code a|b} the first. */
        public List<String> arguments() {
            List<String> words = new ArrayList<>();
            Matcher matcher = WORD.matcher(text.replaceFirst("\\s[#>|]\\s.*", ""));
            while (matcher.find()) {
                String plain = matcher.group(3);
                if (plain == null) {
                    words.add(matcher.group(1) == null ? matcher.group(2) : matcher.group(1));
                } else {
                    words.add(plain.replaceFirst("\\|.*", ""));
                }
            }
            return words.subList(1, words.size());
        }
    }

    /**
     * A link.
     *
     * @param where file and line
     */
    public record Link(String where, String target) {}

    /** All of a directory, but for what is hidden or built. */
    public static List<MarkdownFile> in(Path root) {
        List<MarkdownFile> files = new ArrayList<>();
        try {
            Files.walkFileTree(root, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                    String name = directory.getFileName().toString();
                    boolean isSkipped = !directory.equals(root) && (name.startsWith(".") || SKIPPED.contains(name));
                    return isSkipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    if (file.toString().endsWith(".md")) {
                        files.add(new MarkdownFile(file, Files.readAllLines(file)));
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new AssertionError(root + " cannot be read", e);
        }
        return files;
    }

    /** Lines of code blocks, those that go on behind a backslash joined, and spans of code, that begin with our command. */
    public List<Command> commands() {
        List<Command> commands = new ArrayList<>();
        boolean isBlock = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.startsWith(FENCE)) {
                isBlock = !isBlock;
            } else if (isBlock) {
                int first = i;
                while (line.endsWith("\\") && i + 1 < lines.size()) {
                    i++;
                    line = line.substring(0, line.length() - 1) + lines.get(i).strip();
                }
                Matcher command = COMMAND.matcher(line);
                if (command.matches()) {
                    commands.add(new Command(where(first), command.group(1), true));
                }
            } else {
                Matcher spans = CODE.matcher(line);
                while (spans.find()) {
                    Matcher command = COMMAND.matcher(spans.group(1));
                    if (command.matches()) {
                        String text = command.group(1).replace("\\|", "|");
                        commands.add(new Command(where(i), text, text.startsWith("./")));
                    }
                }
            }
        }
        return commands;
    }

    /** Links in text to other files and headings. */
    public List<Link> links() {
        List<Link> links = new ArrayList<>();
        boolean isBlock = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.startsWith(FENCE)) {
                isBlock = !isBlock;
            } else if (!isBlock) {
                Matcher link = LINK.matcher(CODE.matcher(line).replaceAll(""));
                while (link.find()) {
                    if (!link.group(1).contains("://")) {
                        links.add(new Link(where(i), link.group(1)));
                    }
                }
            }
        }
        return links;
    }

    /** Its headings as links name them: in lower case, without punctuation, blanks as hyphens. */
    public Set<String> anchors() {
        Set<String> anchors = new TreeSet<>();
        boolean isBlock = false;
        for (String line : lines) {
            if (line.startsWith(FENCE)) {
                isBlock = !isBlock;
            } else if (!isBlock && line.matches("#+ .*")) {
                anchors.add(line.replaceFirst("#+ ", "")
                        .strip()
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'));
            }
        }
        return anchors;
    }

    private String where(int line) {
        return path + ":" + (line + 1);
    }
}
