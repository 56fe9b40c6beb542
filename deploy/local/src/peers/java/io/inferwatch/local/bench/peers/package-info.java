/** The same windows in other engines, to compare with; built with {@code -Ppeers} only. */
@NullMarked
package io.inferwatch.local.bench.peers;

import org.jspecify.annotations.NullMarked;
