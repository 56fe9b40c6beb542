package io.inferwatch.probes.engine;

import io.inferwatch.probes.engine.exposition.IncompletePageException;
import io.inferwatch.probes.engine.mapping.MappingTable;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.schemas.settings.Settings;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code inferwatch probe engine check URL}: reads one page and says what of it is understood. Exit status 0 when an engine or a GPU was recognised, 1 when
 * not, 2 when something given is wrong.
 */
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        description = "Reads a page once and says what was recognised, what was not, and what is missing for what.")
final class EngineCheckCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int NOT_RECOGNISED = 1;
    private static final int BAD_INPUT = 2;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(paramLabel = "URL", description = "The page; its path is /metrics unless it says another.")
    private String url = "";

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "YAML of the probe, for its sections mappings and scrape.")
    private @Nullable Path config;

    @Override
    public Integer call() throws InterruptedException {
        CommandSpec command = spec;
        if (command == null) {
            throw new IllegalStateException("check: must be run by picocli");
        }
        PrintWriter out = command.commandLine().getOut();
        PrintWriter err = command.commandLine().getErr();
        try {
            return check(out, err);
        } catch (InvalidSettingsException e) {
            err.println(command.qualifiedName() + ": " + e.getMessage());
            return BAD_INPUT;
        } finally {
            out.flush();
            err.flush();
        }
    }

    private int check(PrintWriter out, PrintWriter err) throws InterruptedException {
        Settings root = config == null ? Settings.parse("settings", "") : Settings.read(config);
        URI page = TargetReader.url(url);
        if (page == null) {
            root.problem("URL", TargetReader.MUST_BE, "'" + url + "'");
            page = URI.create("http://localhost/metrics");
        }
        EngineSettings settings = EngineSettings.of(root, TIMEOUT, List.of());
        // The replica's own section belongs to the probe, not to its page.
        ReplicaIdentity identity = ReplicaIdentity.of(root.section("replica"), Map.of("INFERWATCH_REPLICA", "checked"));
        root.check();
        MappingTable table = settings.mappings();
        TargetReadings readings =
                new TargetReadings(new SeriesIndex(table), settings.scrape().maxSeries());
        PageFetch.Body body;
        TargetReadings.Page read;
        try {
            body = new PageFetch(TargetTls.SYSTEM, settings.scrape())
                    .get(TargetReader.target(page, identity))
                    .get();
            read = readings.read(body.text(), body.length(), body.openMetrics(), 0);
        } catch (ExecutionException e) {
            err.println(page + ": "
                    + PageFetch.understood(e.getCause() == null ? e : e.getCause())
                            .getMessage());
            return NOT_RECOGNISED;
        } catch (IncompletePageException e) {
            err.println(page + ": " + e.getMessage());
            return NOT_RECOGNISED;
        }
        if (body.isUnexpected()) {
            out.println("The content type says that this is something else; it was read as Prometheus' text.");
        }
        return new CheckReport(table, readings, read).print(out) ? OK : NOT_RECOGNISED;
    }
}
