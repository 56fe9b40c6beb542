/** The scoring rules of the Numenta Anomaly Benchmark [Lavin and Ahmad 2015], from their published definition. */
@NullMarked
package io.inferwatch.analytics.nab;

import org.jspecify.annotations.NullMarked;
