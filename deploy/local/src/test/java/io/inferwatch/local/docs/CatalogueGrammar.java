package io.inferwatch.local.docs;

import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.settings.Settings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The keys of a metric catalogue, by what reads the one that is shipped, and what its own comments say of each section. */
public final class CatalogueGrammar {
    private CatalogueGrammar() {}

    public static String text() {
        Settings root = Settings.parse("metrics.yaml", MetricCatalogue.shippedYaml());
        MetricCatalogue.of(root);
        Map<String, List<Settings.Key>> bySection = new LinkedHashMap<>();
        root.keys().forEach(key -> bySection
                .computeIfAbsent(key.path().split("\\.", 2)[0], section -> new ArrayList<>())
                .add(key));
        Map<String, String> comments = comments();
        StringBuilder text = new StringBuilder();
        bySection.forEach((section, keys) -> {
            text.append("### ").append(section).append("\n\n");
            if (comments.containsKey(section)) {
                text.append("```\n").append(comments.get(section)).append("```\n\n");
            }
            MarkdownTable table = new MarkdownTable("key", "must be", "default");
            keys.forEach(key -> table.row(
                    MarkdownTable.code(key.path()),
                    key.mustBe().replace(" such as 10s", ""),
                    key.isRequired() && !key.path().endsWith(Settings.NAME)
                            ? "required"
                            : MarkdownTable.code(key.whenAbsent())));
            text.append(table).append('\n');
        });
        return text.toString();
    }

    /** The lines of comment right above each section. */
    private static Map<String, String> comments() {
        Map<String, String> comments = new LinkedHashMap<>();
        StringBuilder block = new StringBuilder();
        MetricCatalogue.shippedYaml().lines().forEach(line -> {
            if (line.startsWith("# ")) {
                block.append(line.substring(2)).append('\n');
            } else {
                if (line.matches("[a-z-]+:.*") && block.length() > 0) {
                    comments.put(line.substring(0, line.indexOf(':')), block.toString());
                }
                block.setLength(0);
            }
        });
        return comments;
    }
}
