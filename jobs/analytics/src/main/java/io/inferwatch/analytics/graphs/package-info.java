/** CUDA graphs and the jitter of batches: shapes, captures, and how much may be said of what makes them fail. */
@NullMarked
package io.inferwatch.analytics.graphs;

import org.jspecify.annotations.NullMarked;
