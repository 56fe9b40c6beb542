/** Readings of what is stored, for a terminal: quantiles and drift over any period from InfluxDB, decoded events and settings of running jobs from Kafka. */
@NullMarked
package io.inferwatch.report;

import org.jspecify.annotations.NullMarked;
