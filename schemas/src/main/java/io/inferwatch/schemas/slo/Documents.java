package io.inferwatch.schemas.slo;

import io.inferwatch.schemas.settings.Settings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The documents of a text by kind and name, for references among them. */
final class Documents {
    private static final String VERSION = "openslo/v1";
    private static final String NAME = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";

    private final Map<Kind, Map<String, Document>> byKind = new EnumMap<>(Kind.class);
    private final List<Document> all = new ArrayList<>();

    /** OpenSLO's kinds; the names are the users'. */
    enum Kind {
        SLO("SLO"),
        SLI("SLI"),
        ALERT_POLICY("AlertPolicy"),
        ALERT_CONDITION("AlertCondition"),
        ALERT_NOTIFICATION_TARGET("AlertNotificationTarget"),
        DATA_SOURCE("DataSource"),
        SERVICE("Service");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }
    }

    /**
     * One document, or a part of another that has the form of one.
     *
     * @param root with kind, metadata and spec
     */
    record Document(Settings root, Kind kind, String name, String displayName, Map<String, String> annotations) {
        Settings spec() {
            return root.section("spec");
        }

        /** A document within another. */
        static Document inline(Settings root, Kind kind) {
            String found = root.text("kind");
            if (!found.isEmpty() && !found.equals(kind.label)) {
                root.problem("kind", kind.label, "'" + found + "'");
            }
            return of(root, kind);
        }

        private static Document of(Settings root, Kind kind) {
            Settings metadata = root.section("metadata");
            String name = metadata.text("name");
            if (!name.isEmpty() && !name.matches(NAME)) {
                metadata.problem("name", "at most 63 lower-case letters, digits and inner hyphens", "'" + name + "'");
            }
            metadata.has("labels");
            return new Document(
                    root,
                    kind,
                    name,
                    metadata.text("displayName", name),
                    metadata.section("annotations").texts());
        }
    }

    Documents(List<Settings> roots) {
        List<String> labels = Arrays.stream(Kind.values()).map(Kind::label).toList();
        for (Settings root : roots) {
            String version = root.text("apiVersion");
            if (!version.isEmpty() && !version.equals(VERSION)) {
                root.problem("apiVersion", VERSION, "'" + version + "'");
            }
            root.has("spec");
            String label = root.text("kind");
            Optional<Kind> kind = Arrays.stream(Kind.values())
                    .filter(one -> one.label.equals(label))
                    .findFirst();
            if (kind.isEmpty()) {
                root.has("metadata");
                if (!label.isEmpty()) {
                    root.problem(
                            "kind",
                            "one of " + String.join(", ", labels),
                            "'" + label + "'" + Settings.nearest(label, labels));
                }
                continue;
            }
            add(Document.of(root, kind.get()));
        }
    }

    private void add(Document document) {
        all.add(document);
        Document before =
                byKind.computeIfAbsent(document.kind(), none -> new HashMap<>()).putIfAbsent(document.name(), document);
        if (before != null && !document.name().isEmpty()) {
            document.root()
                    .section("metadata")
                    .problem(
                            "name",
                            "another name than any " + document.kind().label() + " before it has",
                            "'" + document.name() + "' again");
        }
    }

    /** The documents of a kind, in the text's order. */
    List<Document> of(Kind kind) {
        return all.stream().filter(document -> document.kind() == kind).toList();
    }

    /** The document that a key names; empty, and a problem, where there is none. */
    Optional<Document> referred(Settings section, String key, Kind kind) {
        String name = section.text(key);
        Map<String, Document> known = byKind.getOrDefault(kind, Map.of());
        Document document = known.get(name);
        if (document == null && !name.isEmpty()) {
            section.problem(
                    key,
                    "the name of one " + kind.label() + " of this file",
                    "'" + name + "'" + Settings.nearest(name, known.keySet()));
        }
        return Optional.ofNullable(document);
    }
}
