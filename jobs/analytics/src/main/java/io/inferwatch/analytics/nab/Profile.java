package io.inferwatch.analytics.nab;

import java.util.List;

/**
 * What hits and errors are worth to somebody; true negatives are worth nothing in any published profile.
 *
 * @param name as in the benchmark's files
 * @param hit for the first detection at the very beginning of a window
 * @param falseAlarm taken off for a row far from every window
 * @param miss taken off for a window without a detection
 */
public record Profile(String name, double hit, double falseAlarm, double miss) {
    /** The profile that is quoted. */
    public static final Profile STANDARD = new Profile("standard", 1, 0.11, 1);

    /** For those who mind false alarms. */
    public static final Profile LOW_FALSE_ALARMS = new Profile("reward_low_FP_rate", 1, 0.22, 1);

    /** For those who mind misses. */
    public static final Profile LOW_MISSES = new Profile("reward_low_FN_rate", 1, 0.11, 2);

    /** In the order of the benchmark's files. */
    public static final List<Profile> ALL = List.of(STANDARD, LOW_FALSE_ALARMS, LOW_MISSES);
}
