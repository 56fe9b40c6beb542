package io.inferwatch.local;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** Version of the build and, where the launcher knows it, the commit of the working copy. */
final class InferwatchVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {"inferwatch " + version() + " (commit " + commit() + ")"};
    }

    static String version() {
        Properties build = new Properties();
        try (InputStream in = InferwatchVersion.class.getResourceAsStream("build.properties")) {
            build.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException("build.properties is damaged", e);
        }
        return build.getProperty("version");
    }

    static String commit() {
        return System.getProperty("inferwatch.commit", "unknown");
    }
}
