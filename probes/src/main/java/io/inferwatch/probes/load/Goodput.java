package io.inferwatch.probes.load;

import io.inferwatch.schemas.settings.Settings;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Limits within which an answer is worth something. From the sending on, as the tools count whose formats are exported. What is not known is not good, but for the time between
 * tokens of answers that have one token only.
 *
 * @param limitsNanos by what is limited
 */
record Goodput(Map<Limited, Long> limitsNanos) {
    /** What can be limited. */
    enum Limited {
        TTFT,
        TPOT,
        E2E
    }

    Goodput {
        limitsNanos = Map.copyOf(limitsNanos);
    }

    boolean isGood(FinishedRequest request) {
        return request.isGood()
                && isWithin(Limited.TTFT, scaled(request.sentTtftMicros()))
                && isWithin(Limited.E2E, scaled(request.sentE2eMicros()))
                && (isSingleToken(request)
                        || isWithin(Limited.TPOT, request.event().getTpotNanos()));
    }

    long good(List<FinishedRequest> requests) {
        return requests.stream().filter(this::isGood).count();
    }

    private static boolean isSingleToken(FinishedRequest request) {
        Long tokens = request.event().getOutputTokens();
        return tokens != null && tokens <= 1;
    }

    private static @Nullable Long scaled(@Nullable Long micros) {
        return micros == null ? null : (Long) (micros * 1_000);
    }

    private boolean isWithin(Limited what, @Nullable Long nanos) {
        Long limit = limitsNanos.get(what);
        return limit == null || (nanos != null && nanos <= limit);
    }

    /** {@code ttft:200ms,tpot:50ms,e2e:5s}, for options. */
    static final class Converter implements ITypeConverter<Goodput> {
        @Override
        public Goodput convert(String text) {
            Map<Limited, Long> limits = new EnumMap<>(Limited.class);
            for (String part : text.split(",", -1)) {
                int colon = part.indexOf(':');
                Duration duration = Settings.parseDuration(part.substring(colon + 1));
                Limited what = colon < 0 ? null : limited(part.substring(0, colon));
                if (what == null || duration == null || limits.put(what, duration.toNanos()) != null) {
                    throw new TypeConversionException(
                            "must be limits of ttft, tpot, e2e such as ttft:200ms,tpot:50ms, found '" + text + "'");
                }
            }
            return new Goodput(limits);
        }

        private static @Nullable Limited limited(String name) {
            for (Limited what : Limited.values()) {
                if (what.name().toLowerCase(Locale.ROOT).equals(name)) {
                    return what;
                }
            }
            return null;
        }
    }
}
