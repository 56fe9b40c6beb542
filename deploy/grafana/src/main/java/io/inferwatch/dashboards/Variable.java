package io.inferwatch.dashboards;

/**
 * A choice of tag values at the top of a dashboard: any number of those that are stored, or all.
 *
 * @param tag the tag, and the variable's name
 * @param label for people
 * @param measurement whose values are offered
 */
public record Variable(String tag, String label, String measurement) {}
