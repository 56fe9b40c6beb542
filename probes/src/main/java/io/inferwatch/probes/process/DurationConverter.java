package io.inferwatch.probes.process;

import io.inferwatch.schemas.settings.Settings;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations of options, such as {@code 10s}. */
public final class DurationConverter implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
        Duration duration = Settings.parseDuration(text);
        if (duration == null) {
            throw new TypeConversionException("must be a duration such as 10s, found '" + text + "'");
        }
        return duration;
    }
}
