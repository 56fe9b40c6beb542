package io.inferwatch.schemas.slo;

import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.schemas.settings.Settings;
import io.inferwatch.schemas.slo.Documents.Document;
import io.inferwatch.schemas.slo.Documents.Kind;
import io.inferwatch.schemas.slo.SloReader.Slo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * SLOs in OpenSLO's version 1: documents of a text that refer to each other by name. Everything is checked, whether or not an SLO refers to it, and all
 * problems are told together, each with its document, line and path.
 *
 * @param objectives of all SLOs, in the text's order
 * @param bodies of each SLO, by name, a text that reads as that SLO alone
 * @param warnings what was understood otherwise than it may be meant
 */
public record SloFile(List<SloSpec> objectives, Map<String, String> bodies, List<String> warnings) {
    /** A file with unmodifiable collections. */
    public SloFile {
        objectives = List.copyOf(objectives);
        bodies = Collections.unmodifiableMap(new LinkedHashMap<>(bodies));
        warnings = List.copyOf(warnings);
    }

    /**
     * The SLOs of a file.
     *
     * @throws InvalidSettingsException with all its problems, when it has any
     */
    public static SloFile read(Path file, MetricCatalogue catalogue) {
        try {
            return parse(file.toString(), Files.readString(file), catalogue);
        } catch (IOException e) {
            throw new InvalidSettingsException(
                    file.toString(),
                    List.of("must be a readable file, found " + e.getClass().getSimpleName()));
        }
    }

    /**
     * The SLOs of a text; the name stands for it in messages.
     *
     * @throws InvalidSettingsException with all its problems, when it has any
     */
    public static SloFile parse(String name, String text, MetricCatalogue catalogue) {
        List<Settings> roots = Settings.documents(name, text);
        Documents documents = new Documents(roots);
        List<String> warnings = new ArrayList<>();
        IndicatorReader indicators = new IndicatorReader(catalogue, documents);
        AlertReader alerts = new AlertReader(documents, warnings);
        SloReader reader = new SloReader(documents, indicators, alerts);
        List<SloSpec> objectives = new ArrayList<>();
        Map<String, String> bodies = new LinkedHashMap<>();
        for (Document document : documents.of(Kind.SLO)) {
            Slo slo = reader.read(document);
            objectives.addAll(slo.objectives());
            bodies.put(document.name(), body(document, slo, documents));
        }
        documents.of(Kind.SLI).forEach(indicators::read);
        documents.of(Kind.ALERT_POLICY).forEach(alerts::policy);
        documents.of(Kind.ALERT_CONDITION).forEach(alerts::condition);
        Settings.check(roots);
        if (bodies.isEmpty()) {
            throw new InvalidSettingsException(name, List.of("must have an SLO, found none"));
        }
        return new SloFile(objectives, bodies, warnings);
    }

    /** The SLO's document and those that it refers to, kind by kind. */
    private static String body(Document slo, Slo read, Documents documents) {
        return Stream.of(Kind.values())
                .flatMap(kind -> documents.of(kind).stream())
                .filter(document -> document.equals(slo) || isNeeded(document, read))
                .map(document -> document.root().yaml().strip())
                .collect(Collectors.joining("\n---\n"));
    }

    private static boolean isNeeded(Document document, Slo slo) {
        return slo.parts().contains(document)
                || document.kind() == Kind.DATA_SOURCE
                || document.kind() == Kind.ALERT_NOTIFICATION_TARGET;
    }
}
