package io.inferwatch.probes.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one series of a page means to the target that shows it. There is one for every series of every target, so that it keeps nothing that is not needed.
 *
 * @param name empty where only its uses matter
 * @param model that it is of, as far as it says so
 * @param use what takes its values; nothing where it means nothing here
 */
record Series(String name, Standing standing, @Nullable String model, Use use) {
    /** How well a series is known. */
    enum Standing {
        MAPPED,
        UNUSED,
        UNKNOWN
    }

    /** Takes the values of a series. */
    interface Use {
        void take(double value, long atMillis, long page);

        /** All of them. */
        static Use of(List<Use> uses) {
            if (uses.size() == 1) {
                return uses.get(0);
            }
            Use[] all = uses.toArray(Use[]::new);
            return (value, atMillis, page) -> {
                for (Use use : all) {
                    use.take(value, atMillis, page);
                }
            };
        }
    }
}
