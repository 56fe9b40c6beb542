package io.inferwatch.probes.engine;

import io.inferwatch.probes.engine.mapping.MappingTable;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.schemas.settings.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

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

    /** Targets within another probe's process: a section with the same sections and {@code interval}. Problems are the section's. */
    public static EngineSettings within(Settings section) {
        EngineSettings settings = of(section, interval(section), List.of());
        if (settings.sources().isEmpty()) {
            section.problem("targets", "given, or discover", "nothing");
        }
        return settings;
    }

    /** The one replica of another probe's process: a section with {@code url} and {@code interval}. Problems are the section's. */
    public static EngineSettings within(Settings section, ReplicaIdentity replica) {
        Target named = TargetReader.target(section, replica.replica(), Map.of());
        Target target = new Target(named.url(), replica, named.token(), named.tls());
        return of(section, interval(section), List.of(target));
    }

    private static Duration interval(Settings section) {
        Duration interval = section.duration(
                "interval", Duration.ofMillis(100), Duration.ofHours(1), ScrapeSettings.DEFAULT_INTERVAL);
        return Objects.requireNonNullElse(interval, ScrapeSettings.DEFAULT_INTERVAL);
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
        if (discover.has("kubernetes")) {
            sources.add(KubernetesTargets.of(discover.section("kubernetes")));
        }
        return new EngineSettings(
                ScrapeSettings.of(root.section("scrape"), interval),
                MappingTable.builtIn().with(root.section("mappings")),
                sources);
    }
}
