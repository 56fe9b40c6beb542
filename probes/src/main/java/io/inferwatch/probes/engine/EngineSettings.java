package io.inferwatch.probes.engine;

import io.inferwatch.probes.engine.mapping.MappingTable;
import io.inferwatch.schemas.settings.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What the engine probe scrapes, and how.
 *
 * @param mappings what series mean
 * @param sources where targets come from
 */
public record EngineSettings(ScrapeSettings scrape, MappingTable mappings, List<TargetSource> sources) {
    /** Unmodifiable. */
    public EngineSettings {
        sources = List.copyOf(sources);
    }

    /** A fixed list of targets, with the defaults for everything else. */
    public static EngineSettings of(Duration interval, List<Target> targets) {
        return new EngineSettings(
                ScrapeSettings.every(interval), MappingTable.builtIn(), List.of(new FixedTargets(targets)));
    }

    /**
     * Reads the sections {@code scrape}, {@code mappings}, {@code targets} and {@code discover}. Problems are the sections'.
     *
     * @param given targets from elsewhere than the settings
     */
    public static EngineSettings of(Settings root, Duration interval, List<Target> given) {
        List<Target> fixed = new ArrayList<>(given);
        root.section("targets")
                .sections()
                .forEach((name, entry) -> fixed.add(TargetReader.target(entry, name, Map.of())));
        List<TargetSource> sources = new ArrayList<>();
        if (!fixed.isEmpty()) {
            sources.add(new FixedTargets(fixed));
        }
        Settings discover = root.section("discover");
        if (discover.has("file")) {
            sources.add(new TargetFile(Path.of(discover.text("file"))));
        }
        if (discover.has("dns")) {
            sources.add(DnsTargets.of(discover.section("dns")));
        }
        return new EngineSettings(
                ScrapeSettings.of(root.section("scrape"), interval),
                MappingTable.builtIn().with(root.section("mappings")),
                sources);
    }
}
