/** The whole system in one process: the inferwatch command, the local stack of broker, InfluxDB and Flink, and the demo. */
@NullMarked
package io.inferwatch.local;

import org.jspecify.annotations.NullMarked;
