package io.inferwatch.schemas.catalogue;

/** A share of two sums, from 0 to 1; without a value when the denominator is 0. */
public record Ratio(String name, String numerator, String denominator, Metric.Better better, String help) {}
