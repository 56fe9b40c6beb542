/**
 * An inference engine in virtual time: continuous batching over a paged KV cache, with the time that each step costs. Knows nothing else of
 * the product.
 */
@NullMarked
package io.inferwatch.simulation.engine;

import org.jspecify.annotations.NullMarked;
