/** What a fleet will ask of Flink, Kafka and InfluxDB, before it is there. */
@NullMarked
package io.inferwatch.jobs.plan;

import org.jspecify.annotations.NullMarked;
