package io.inferwatch.influx;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Where a secret is found, not the secret: it is read anew for each connection, so that a mounted file may change, and it cannot be
 * printed or shipped with a job.
 *
 * @param kind file or environment
 * @param name the file's path or the variable's name
 */
public record Secret(Kind kind, String name) implements Serializable {

    /** Where to look. */
    public enum Kind {
        FILE,
        ENVIRONMENT
    }

    /** A secret that is the text of a file; white space around it does not belong to it. */
    public static Secret inFile(Path file) {
        return new Secret(Kind.FILE, file.toString());
    }

    /** A secret that is the value of an environment variable. */
    public static Secret inEnvironment(String variable) {
        return new Secret(Kind.ENVIRONMENT, variable);
    }

    /**
     * The secret's text.
     *
     * @throws InfluxConfigurationException when it is not there, or empty
     */
    public String read() {
        return read(System.getenv());
    }

    String read(Map<String, String> environment) {
        String text =
                switch (kind) {
                    case FILE -> readFile();
                    case ENVIRONMENT -> environment.getOrDefault(name, "").strip();
                };
        if (text.isEmpty()) {
            throw new InfluxConfigurationException(this + ": must hold a secret, found nothing");
        }
        return text;
    }

    private String readFile() {
        try {
            return Files.readString(Path.of(name)).strip();
        } catch (IOException e) {
            throw new InfluxConfigurationException(
                    this + ": must be a readable file, found " + e.getClass().getSimpleName(), e);
        }
    }

    @Override
    public String toString() {
        return kind == Kind.FILE ? "secret file " + name : "environment variable " + name;
    }
}
