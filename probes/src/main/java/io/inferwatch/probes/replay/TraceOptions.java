package io.inferwatch.probes.replay;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * How to read a trace. All of it changes events and is therefore part of their identity.
 *
 * @param format of all files
 * @param timeUnit of Mooncake's timestamps; milliseconds when absent
 * @param maxPromptTokens limit of the model for prompts
 * @param overLimit what to do with longer ones
 * @param onBackwardTime what to do when arrival times step back within a file
 * @param model name for requests whose file names none
 */
public record TraceOptions(
        TraceFormat format,
        Optional<TimeUnit> timeUnit,
        OptionalLong maxPromptTokens,
        OverLimit overLimit,
        OnBackwardTime onBackwardTime,
        Optional<String> model) {
    /** Unit of timestamps. */
    public enum TimeUnit {
        /** Seconds. */
        S(1_000_000),
        /** Milliseconds. */
        MS(1_000),
        /** Microseconds. */
        US(1);

        private final long micros;

        TimeUnit(long micros) {
            this.micros = micros;
        }

        long micros() {
            return micros;
        }
    }

    /** What happens to a request whose prompt is over the limit. Whatever it is, it is counted. */
    public enum OverLimit {
        /** It is left out. */
        SKIP,
        /** Its prompt is cut to the limit. */
        CLIP,
        /** The prompts of all requests are scaled so that the longest fits. */
        SCALE
    }

    /** What a time before the former row's means. */
    public enum OnBackwardTime {
        /** The clock was set anew: the row comes at the former row's time, later rows follow from there. */
        NEW_EPOCH,
        /** Rows are out of order: they are sorted by time. */
        SORT
    }

    /** Checked options. */
    public TraceOptions {
        if (maxPromptTokens.isPresent() && maxPromptTokens.getAsLong() < 1) {
            throw new IllegalArgumentException(
                    "max-prompt-tokens: must be at least 1, found " + maxPromptTokens.getAsLong());
        }
    }

    /** A format with everything else as it comes. */
    public static TraceOptions of(TraceFormat format) {
        return new TraceOptions(
                format,
                Optional.empty(),
                OptionalLong.empty(),
                OverLimit.SKIP,
                OnBackwardTime.NEW_EPOCH,
                Optional.empty());
    }

    /** The options by name, as far as they change events. */
    Map<String, String> identity() {
        Map<String, String> identity = new TreeMap<>();
        identity.put("format", format.name());
        timeUnit.ifPresent(unit -> identity.put("time-unit", unit.name()));
        maxPromptTokens.ifPresent(limit -> {
            identity.put("max-prompt-tokens", Long.toString(limit));
            identity.put("over-limit", overLimit.name());
        });
        identity.put("on-backward-time", onBackwardTime.name());
        model.ifPresent(name -> identity.put("model", name));
        return identity;
    }
}
