package io.inferwatch.probes.engine;

import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.schemas.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Targets in a file that may change at any time: YAML, replica by replica, or one JSON object a line with the same keys and {@code name}. A file with anything
 * wrong is refused whole.
 */
record TargetFile(Path file) implements TargetSource {
    @Override
    public String name() {
        return "file";
    }

    @Override
    public Duration every() {
        return Duration.ofSeconds(2);
    }

    @Override
    public List<Target> targets() throws TargetSourceException {
        String text;
        try {
            text = Files.readString(file);
        } catch (IOException e) {
            throw new TargetSourceException(
                    file + " cannot be read: " + e.getClass().getSimpleName());
        }
        try {
            return text.stripLeading().startsWith("{") ? lines(text) : yaml(text);
        } catch (InvalidSettingsException e) {
            throw new TargetSourceException(String.valueOf(e.getMessage()));
        }
    }

    private List<Target> yaml(String text) {
        Settings root = Settings.parse(file.toString(), text);
        List<Target> targets = new ArrayList<>();
        root.sections().forEach((name, entry) -> targets.add(TargetReader.target(entry, name, Map.of())));
        root.check();
        return targets;
    }

    /** JSON is YAML too. */
    private List<Target> lines(String text) {
        List<Target> targets = new ArrayList<>();
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            if (!line.isBlank()) {
                Settings root = Settings.parse(file + " line " + number, line);
                targets.add(TargetReader.target(root, root.text("name"), Map.of()));
                root.check();
            }
        }
        return targets;
    }
}
