package io.inferwatch.probes.load;

import io.inferwatch.schemas.settings.Settings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Steps of the load, one after the other. */
record Stages(List<Stage> all) {
    /**
     * A step.
     *
     * @param rate requests a second
     */
    record Stage(double rate, Duration length) {}

    Stages {
        all = List.copyOf(all);
    }

    /** {@code 300:5m,800:5m,1200:5m}, for options. */
    static final class Converter implements ITypeConverter<Stages> {
        @Override
        public Stages convert(String text) {
            List<Stage> stages = new ArrayList<>();
            for (String part : text.split(",", -1)) {
                String[] both = part.split(":", -1);
                Duration length = both.length == 2 ? Settings.parseDuration(both[1]) : null;
                double rate = both.length == 2 ? rate(both[0]) : 0;
                if (length == null || length.isZero() || !(rate > 0)) {
                    throw new TypeConversionException(
                            "must be steps of RATE:DURATION such as 300:5m,800:5m, found '" + text + "'");
                }
                stages.add(new Stage(rate, length));
            }
            return new Stages(stages);
        }

        private static double rate(String text) {
            try {
                double rate = Double.parseDouble(text);
                return Double.isFinite(rate) ? rate : 0;
            } catch (NumberFormatException e) {
                return 0;
            }
        }
    }
}
