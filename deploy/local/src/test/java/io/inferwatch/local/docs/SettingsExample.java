package io.inferwatch.local.docs;

import io.inferwatch.schemas.settings.Settings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What the comments of a YAML file say of its keys: {@code key: value  # meaning}, one key a line, sections by indentation. A key behind {@code #} without a
 * blank is an optional one that is only shown; comments with a blank are prose.
 */
final class SettingsExample {
    private static final Pattern LINE = Pattern.compile("( *)#?([\\w.-]+):(?: (.*))?");
    private static final Pattern COMMENT = Pattern.compile("(?:^|\\s)# (.*)");

    private final List<Line> lines = new ArrayList<>();

    private record Line(List<String> path, String meaning) {
        /** Whether it is that key, or a section above it, with names for {@link Settings#NAME}. */
        boolean isAt(List<String> key) {
            if (path.size() > key.size()) {
                return false;
            }
            for (int i = 0; i < path.size(); i++) {
                if (!key.get(i).equals(Settings.NAME) && !key.get(i).equals(path.get(i))) {
                    return false;
                }
            }
            return true;
        }
    }

    private record Open(int indent, String key) {}

    SettingsExample(String yaml) {
        Deque<Open> open = new ArrayDeque<>();
        yaml.lines().forEach(text -> {
            Matcher line = LINE.matcher(text);
            if (!line.matches()) {
                return;
            }
            int indent = line.group(1).length();
            while (!open.isEmpty() && open.peekLast().indent >= indent) {
                open.removeLast();
            }
            open.addLast(new Open(indent, line.group(2)));
            String rest = line.group(3) == null ? "" : line.group(3);
            Matcher comment = COMMENT.matcher(rest);
            lines.add(new Line(
                    open.stream().map(Open::key).toList(),
                    comment.find() ? comment.group(1).strip() : ""));
        });
    }

    /** What is said of a key or section; empty where it is not shown, or without a comment. */
    String meaning(String key) {
        List<String> path = split(key);
        return lines.stream()
                .filter(line -> line.path.size() == path.size() && line.isAt(path))
                .map(Line::meaning)
                .filter(meaning -> !meaning.isEmpty())
                .findFirst()
                .orElse("");
    }

    /** The keys and sections that are shown and that are none of these. */
    String beyond(List<String> keys) {
        return lines.stream()
                .filter(line -> keys.stream().noneMatch(key -> line.isAt(split(key))))
                .map(line -> String.join(".", line.path))
                .collect(Collectors.joining(", "));
    }

    private static List<String> split(String key) {
        return List.of(key.split("\\.", -1));
    }
}
