package io.inferwatch.local.docs;

import java.util.List;

/** A table in Markdown. */
final class MarkdownTable {
    private final StringBuilder text = new StringBuilder();

    MarkdownTable(String... heads) {
        row(heads);
        text.append("|---".repeat(heads.length)).append("|\n");
    }

    void row(String... cells) {
        for (String cell : List.of(cells)) {
            text.append("| ").append(cell.replace("|", "\\|")).append(cell.isEmpty() ? "" : " ");
        }
        text.append("|\n");
    }

    /** The text as code; nothing for nothing. */
    static String code(String text) {
        return text.isEmpty() ? "" : "`" + text + "`";
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
