package io.inferwatch.probes.tls;

import io.inferwatch.schemas.settings.Settings;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files that settings name. */
final class PemFiles {
    private PemFiles() {}

    /** Notes a problem when the file cannot be read. */
    static void require(Settings section, String key, Path file) {
        if (!file.toString().isEmpty() && !Files.isReadable(file)) {
            section.problem(key, "a readable PEM file", "'" + file + "'");
        }
    }
}
