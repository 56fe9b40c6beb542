package io.inferwatch.schemas.catalogue;

import io.inferwatch.schemas.settings.Settings;
import java.util.List;

/**
 * How running jobs go about anomalies of what is watched.
 *
 * @param name a statistic that is watched, such as {@code ttft.p50}; {@link #ALL} for those without a setting of their own
 * @param forest whether points have a Random Cut Forest's opinion too, which costs tens of times the time and decides nothing
 */
public record AnomalySetting(String name, Mode mode, Sensitivity sensitivity, boolean forest) {
    /** The kind of settings that hold these. */
    public static final String KIND = "anomaly";

    /** The name of the setting for all that has none of its own. */
    public static final String ALL = "all";

    /**
     * Where nothing is set: in shadow, since nobody has seen yet what is usual in this fleet; points and findings show what would have been told.
     */
    public static final AnomalySetting DEFAULT = new AnomalySetting(ALL, Mode.SHADOW, Sensitivity.STANDARD, false);

    /** What becomes of it. */
    public enum Mode {
        /** Points and findings, but no alerts. */
        SHADOW,
        /** Alerts too. */
        PROMOTED,
        /** Not even watched; what was learned is kept. */
        UNWATCHED
    }

    /** How improbable a window must be for somebody to be told. */
    public enum Sensitivity {
        LOW,
        STANDARD,
        HIGH
    }

    /**
     * A setting as it was set while jobs run.
     *
     * @throws io.inferwatch.schemas.settings.InvalidSettingsException with all its problems, when it has any
     */
    public static AnomalySetting parse(String name, String yaml, MetricCatalogue catalogue) {
        Settings root = Settings.parse(KIND + "/" + name, yaml);
        AnomalySetting setting = read(name, root, catalogue.anomalies());
        root.check();
        return setting;
    }

    static AnomalySetting read(String name, Settings entry, List<Watch> watched) {
        List<String> names = watched.stream().map(Watch::toString).toList();
        if (!name.equals(ALL) && !names.contains(name)) {
            entry.problem(
                    "name",
                    ALL + " or what is watched: " + String.join(", ", names),
                    "'" + name + "'" + Settings.nearest(name, names));
        }
        return new AnomalySetting(
                name,
                entry.choice("mode", Mode.class, DEFAULT.mode),
                entry.choice("sensitivity", Sensitivity.class, DEFAULT.sensitivity),
                entry.flag("forest", DEFAULT.forest));
    }
}
