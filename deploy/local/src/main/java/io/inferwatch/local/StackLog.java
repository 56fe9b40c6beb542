package io.inferwatch.local;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.util.Objects;
import org.apache.logging.log4j.core.config.Configurator;

/** Sends the log of this process to a file: commands speak through their output, and a stack has much to log. */
final class StackLog {
    private StackLog() {}

    /** From now on the log goes to {@code inferwatch.log} in the directory; returns the file. */
    static Path in(Path directory) {
        Path file = directory.resolve("inferwatch.log");
        System.setProperty("inferwatch.log", file.toString());
        URL configuration = Objects.requireNonNull(StackLog.class.getResource("stack-log4j2.properties"));
        try {
            Configurator.reconfigure(configuration.toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(URI.create("stack-log4j2.properties") + " lies nowhere", e);
        }
        return file;
    }
}
