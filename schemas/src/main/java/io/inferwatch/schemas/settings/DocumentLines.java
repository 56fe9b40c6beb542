package io.inferwatch.schemas.settings;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * On which line of a text the keys and list items of one of its documents stand.
 *
 * @param number of the document, from 1
 * @param first its first line
 * @param byPath lines by path, as in {@code spec.objectives[0].target}
 */
record DocumentLines(int number, int first, Map<String, Integer> byPath) {
    private static final YAMLFactory YAML = new YAMLFactory();

    /** A mapping or list that has begun, and how many items of a list came so far. */
    private static final class Open {
        private final String path;
        private final boolean isList;
        private int items;
        private String field = "";

        Open(String path, boolean isList) {
            this.path = path;
            this.isList = isList;
        }

        String next() {
            if (isList) {
                return path + "[" + items++ + "]";
            }
            return path.isEmpty() ? field : path + "." + field;
        }
    }

    /** The lines of each document of a text, those of empty ones too. */
    static List<DocumentLines> of(String text) throws IOException {
        List<DocumentLines> documents = new ArrayList<>();
        Deque<Open> open = new ArrayDeque<>();
        try (JsonParser parser = YAML.createParser(text)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                int line = parser.currentTokenLocation().getLineNr();
                if (token == JsonToken.FIELD_NAME) {
                    open.element().field = parser.currentName();
                    document(documents).byPath.put(open.element().next(), line);
                    continue;
                }
                if (token.isStructEnd()) {
                    open.pop();
                    continue;
                }
                boolean isRoot = open.isEmpty();
                if (isRoot) {
                    documents.add(new DocumentLines(documents.size() + 1, line, new HashMap<>()));
                }
                String path = isRoot ? "" : open.element().next();
                document(documents).byPath.putIfAbsent(path, line);
                if (token.isStructStart()) {
                    open.push(new Open(path, token == JsonToken.START_ARRAY));
                }
            }
        }
        return documents;
    }

    private static DocumentLines document(List<DocumentLines> documents) {
        return documents.get(documents.size() - 1);
    }

    /** Where a key stands, or what it would belong to, as a beginning of a message. */
    String where(String path) {
        String known = path;
        while (!known.isEmpty() && !byPath.containsKey(known)) {
            known = known.substring(0, Math.max(0, Math.max(known.lastIndexOf('.'), known.lastIndexOf('['))));
        }
        return "document " + number + ", line " + byPath.getOrDefault(known, first) + ": ";
    }
}
