/** What the series of each engine mean: the versioned table, and how it is read. */
@NullMarked
package io.inferwatch.probes.engine.mapping;

import org.jspecify.annotations.NullMarked;
