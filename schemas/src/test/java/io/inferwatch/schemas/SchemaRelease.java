package io.inferwatch.schemas;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import org.apache.avro.Schema;
import org.apache.avro.SchemaFormatter;

/** Writes the present schemas as those of a release: arguments are the folder {@code released} and the release's number. */
public final class SchemaRelease {
    private SchemaRelease() {}

    public static void main(String[] arguments) throws IOException {
        Path released = Path.of(arguments[0]);
        String release = arguments[1];
        Path index = released.resolve("index.txt");
        Files.createDirectories(released.resolve(release));
        TreeSet<String> paths = new TreeSet<>(Files.exists(index) ? Files.readAllLines(index) : List.of());
        paths.removeIf(String::isBlank);
        for (Schema schema : ReleasedSchemas.present()) {
            String path = release + "/" + schema.getName() + ".avsc";
            Files.writeString(released.resolve(path), SchemaFormatter.format("json/pretty", schema) + "\n");
            paths.add(path);
        }
        Files.write(index, paths);
    }
}
