/** The same windows in other engines, and plain proxies with other libraries, to compare with; built with {@code -Ppeers} only. */
@NullMarked
package io.inferwatch.local.bench.peers;

import org.jspecify.annotations.NullMarked;
