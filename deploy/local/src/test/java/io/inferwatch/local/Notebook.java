package io.inferwatch.local;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** A notebook's file, in Jupyter's format 4. */
record Notebook(Path file, List<JsonNode> cells) {
    /** Where they are, from this module's directory. */
    static final Path DIRECTORY = Path.of("..", "..", "notebooks");

    /** All that are committed. */
    static Stream<Notebook> all() throws IOException {
        try (Stream<Path> files = Files.list(DIRECTORY)) {
            List<Path> found = files.filter(file -> file.toString().endsWith(".ipynb"))
                    .sorted()
                    .toList();
            List<Notebook> notebooks = new ArrayList<>();
            for (Path file : found) {
                notebooks.add(read(file));
            }
            return notebooks.stream();
        }
    }

    static Notebook read(Path file) throws IOException {
        List<JsonNode> cells = new ArrayList<>();
        new ObjectMapper().readTree(Files.readString(file)).get("cells").forEach(cells::add);
        return new Notebook(file, cells);
    }

    List<JsonNode> codeCells() {
        return cells.stream()
                .filter(cell -> cell.get("cell_type").asText().equals("code"))
                .toList();
    }

    /** Those that make a plot. */
    List<JsonNode> plottingCells() {
        return codeCells().stream()
                .filter(cell -> text(cell).contains(" = axes("))
                .toList();
    }

    /** A cell's source. */
    static String text(JsonNode cell) {
        JsonNode source = cell.get("source");
        return source.isTextual()
                ? source.asText()
                : StreamSupport.stream(source.spliterator(), false)
                        .map(JsonNode::asText)
                        .collect(Collectors.joining());
    }

    @Override
    public String toString() {
        return file.getFileName().toString();
    }
}
