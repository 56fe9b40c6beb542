/** Pages of metrics in Prometheus' and OpenMetrics' formats, read line by line. Knows no engine and no network. */
@NullMarked
package io.inferwatch.probes.engine.exposition;

import org.jspecify.annotations.NullMarked;
