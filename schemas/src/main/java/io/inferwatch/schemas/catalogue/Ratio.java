package io.inferwatch.schemas.catalogue;

/**
 * A share of two sums, from 0 to 1; without a value when the denominator is 0.
 *
 * @param name as users write it, e.g. {@code error_ratio}
 * @param numerator a sum metric
 * @param denominator a sum metric
 * @param better which way is better
 * @param help what it is, for people
 */
public record Ratio(String name, String numerator, String denominator, Metric.Better better, String help) {}
