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
import java.util.concurrent.CompletableFuture;
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
        CompletableFuture<Boolean> recognised = new CompletableFuture<>();
        try (PageClient client = new PageClient(settings.scrape())) {
            PageFetch fetch = new PageFetch(client, TargetReader.target(page, identity));
            client.loop()
                    .execute(() -> fetch.get(new PageFetch.Taker() {
                        @Override
                        public void page(PageBody body) {
                            try {
                                TargetReadings.Page read =
                                        readings.read(body.text(), body.from(), body.to(), body.openMetrics(), 0);
                                if (body.isUnexpected()) {
                                    out.println(
                                            "The content type says that this is something else; it was read as Prometheus' text.");
                                }
                                recognised.complete(new CheckReport(table, readings, read).print(out));
                            } catch (IncompletePageException | RuntimeException e) {
                                recognised.completeExceptionally(e);
                            }
                        }

                        @Override
                        public void failed(ScrapeFailedException failure) {
                            recognised.completeExceptionally(failure);
                        }
                    }));
            return recognised.get() ? OK : NOT_RECOGNISED;
        } catch (ExecutionException e) {
            err.println(page + ": " + PageAnswers.message(e));
            return NOT_RECOGNISED;
        }
    }
}
