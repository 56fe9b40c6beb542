package io.inferwatch.probes.replay;

import io.inferwatch.probes.replay.TraceOptions.OnBackwardTime;
import io.inferwatch.probes.replay.TraceOptions.OverLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that say how a trace's files are read; to be mixed in. */
public final class TraceReadingOptions {
    @Option(
            names = "--time-unit",
            paramLabel = "s|ms|us",
            converter = TimeUnitConverter.class,
            description = "Unit of Mooncake's timestamps. Default: ms.")
    private TraceOptions.@Nullable TimeUnit timeUnit;

    @Option(names = "--max-prompt-tokens", paramLabel = "N", description = "Limit of the model for prompts.")
    private @Nullable Long maxPromptTokens;

    @Option(
            names = "--over-limit",
            paramLabel = "skip|clip|scale",
            defaultValue = "skip",
            converter = OverLimitConverter.class,
            description = "What to do with longer prompts. Default: ${DEFAULT-VALUE}.")
    private OverLimit overLimit = OverLimit.SKIP;

    @Option(
            names = "--on-backward-time",
            paramLabel = "new-epoch|sort",
            defaultValue = "new-epoch",
            converter = BackwardTimeConverter.class,
            description =
                    "When times step back: the clock began anew, or rows are out of order. Default: ${DEFAULT-VALUE}.")
    private OnBackwardTime onBackwardTime = OnBackwardTime.NEW_EPOCH;

    /**
     * What they say together.
     *
     * @param model of requests whose file names none; null for none
     * @throws IllegalArgumentException when they make no sense
     */
    public TraceOptions of(TraceFormat format, @Nullable String model) {
        return new TraceOptions(
                format,
                Optional.ofNullable(timeUnit),
                maxPromptTokens == null ? OptionalLong.empty() : OptionalLong.of(maxPromptTokens),
                overLimit,
                onBackwardTime,
                Optional.ofNullable(model));
    }

    private abstract static class EnumConverter<E extends Enum<E>> implements ITypeConverter<E> {
        private final Class<E> type;

        EnumConverter(Class<E> type) {
            this.type = type;
        }

        @Override
        public E convert(String text) {
            List<String> labels = new ArrayList<>();
            for (E constant : type.getEnumConstants()) {
                String label = constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
                if (label.equals(text)) {
                    return constant;
                }
                labels.add(label);
            }
            throw new TypeConversionException("must be one of " + String.join(", ", labels) + ", found '" + text + "'");
        }
    }

    /** Formats by their names on the command line. */
    public static final class FormatConverter extends EnumConverter<TraceFormat> {
        /** For picocli. */
        public FormatConverter() {
            super(TraceFormat.class);
        }
    }

    static final class TimeUnitConverter extends EnumConverter<TraceOptions.TimeUnit> {
        TimeUnitConverter() {
            super(TraceOptions.TimeUnit.class);
        }
    }

    static final class OverLimitConverter extends EnumConverter<OverLimit> {
        OverLimitConverter() {
            super(OverLimit.class);
        }
    }

    static final class BackwardTimeConverter extends EnumConverter<OnBackwardTime> {
        BackwardTimeConverter() {
            super(OnBackwardTime.class);
        }
    }
}
