package io.inferwatch.jobs;

import io.inferwatch.jobs.window.Goodput;
import io.inferwatch.schemas.settings.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

/**
 * Settings of {@link MeasureJob}, by default and in YAML:
 *
 * <pre>{@code
 * watermark-delay: 5s    # how far events of a partition may be out of order
 * lateness: 10m          # how long after its pane's end an event still corrects windows
 * idleness: 60s          # after which a silent partition holds the others back no longer
 * alignment-drift: 1m    # how far one partition may be read ahead of another, in event time; 0s: any distance
 * goodput:               # limits within which a complete request is good
 *   ttft: 2s
 *   tpot: 200ms
 *   e2e: 30s             # none by default
 * }</pre>
 */
public record MeasureSettings(
        Duration watermarkDelay, Duration lateness, Duration idleness, Duration alignmentDrift, Goodput goodput) {

    /** The defaults. */
    public static MeasureSettings byDefault() {
        return of(Settings.parse("defaults", ""));
    }

    /**
     * Settings from a YAML file.
     *
     * @throws io.inferwatch.schemas.settings.InvalidSettingsException with all its problems, when it has any
     */
    public static MeasureSettings read(Path file) {
        return of(Settings.read(file));
    }

    /** Settings from YAML text; the name stands for it in messages. */
    public static MeasureSettings parse(String name, String yaml) {
        return of(Settings.parse(name, yaml));
    }

    /**
     * The same settings with partitions read each at its own pace: for bounded reads, since the connector cannot pause a partition that
     * it has read to its end.
     */
    public MeasureSettings withoutAlignment() {
        return new MeasureSettings(watermarkDelay, lateness, idleness, Duration.ZERO, goodput);
    }

    /** The same settings with another watermark delay. */
    public MeasureSettings withWatermarkDelay(Duration delay) {
        return new MeasureSettings(delay, lateness, idleness, alignmentDrift, goodput);
    }

    /**
     * Settings from a file's root section.
     *
     * @throws io.inferwatch.schemas.settings.InvalidSettingsException with all its problems, when it has any
     */
    public static MeasureSettings of(Settings root) {
        Duration hour = Duration.ofHours(1);
        Goodput standard = Goodput.byDefault();
        Settings limits = root.section("goodput");
        MeasureSettings settings = new MeasureSettings(
                duration(root, "watermark-delay", Duration.ZERO, hour, Duration.ofSeconds(5)),
                duration(root, "lateness", Duration.ZERO, hour, Duration.ofMinutes(10)),
                duration(root, "idleness", Duration.ofSeconds(1), hour, Duration.ofSeconds(60)),
                duration(root, "alignment-drift", Duration.ZERO, hour, Duration.ofMinutes(1)),
                new Goodput(
                        limits.duration("ttft", Duration.ofNanos(1_000), hour, standard.ttft()),
                        limits.duration("tpot", Duration.ofNanos(1_000), hour, standard.tpot()),
                        limits.duration("e2e", Duration.ofNanos(1_000), hour, standard.e2e())));
        root.check();
        return settings;
    }

    private static Duration duration(Settings root, String key, Duration min, Duration max, Duration whenAbsent) {
        return Objects.requireNonNull(root.duration(key, min, max, whenAbsent));
    }
}
