/** Readings of what is stored, for a terminal: quantiles over any period from InfluxDB, decoded events from Kafka. */
@NullMarked
package io.inferwatch.report;

import org.jspecify.annotations.NullMarked;
