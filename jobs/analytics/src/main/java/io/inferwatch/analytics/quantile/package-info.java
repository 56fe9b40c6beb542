/** Quantiles of merged data: the sketch, its buckets, and the confidence limits that a window's size allows. */
@NullMarked
package io.inferwatch.analytics.quantile;

import org.jspecify.annotations.NullMarked;
