package io.inferwatch.dashboards;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes every dashboard's file into a directory: {@code mvn -q -Pdashboards -pl deploy/grafana -am process-classes} does so in the working copy. */
public final class DashboardFiles {
    private DashboardFiles() {}

    /** Writes the files into the directory that the first argument names. */
    public static void main(String[] args) throws IOException {
        write(Path.of(args[0]));
    }

    static void write(Path directory) throws IOException {
        Files.createDirectories(directory);
        for (Dashboard dashboard : Dashboards.all()) {
            Files.writeString(directory.resolve(Dashboards.fileName(dashboard)), GrafanaJson.text(dashboard));
        }
    }
}
