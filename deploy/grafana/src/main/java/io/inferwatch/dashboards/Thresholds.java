package io.inferwatch.dashboards;

import java.util.List;

/**
 * Where a value changes its colour.
 *
 * @param base colour below the first step
 * @param steps by rising value
 * @param isDrawn whether charts over time draw them as lines
 */
record Thresholds(Tone base, List<Step> steps, boolean isDrawn) {
    /** From a value on, a colour. */
    record Step(double from, Tone tone) {}

    Thresholds {
        steps = List.copyOf(steps);
    }

    /** Nothing is good or bad. */
    static Thresholds none() {
        return new Thresholds(Tone.CALM, List.of(), false);
    }

    /** What grows gets bad. */
    static Thresholds badAbove(double warning, double bad) {
        return new Thresholds(Tone.GOOD, List.of(new Step(warning, Tone.WARNING), new Step(bad, Tone.BAD)), true);
    }

    /** More than nothing is bad. */
    static Thresholds badIfAny() {
        return new Thresholds(Tone.GOOD, List.of(new Step(Double.MIN_NORMAL, Tone.BAD)), false);
    }

    /** What shrinks gets bad. */
    static Thresholds badBelow(double warning, double good) {
        return new Thresholds(Tone.BAD, List.of(new Step(warning, Tone.WARNING), new Step(good, Tone.GOOD)), true);
    }

    /** The same without lines. */
    Thresholds notDrawn() {
        return new Thresholds(base, steps, false);
    }
}
