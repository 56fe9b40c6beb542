/** Windows, alerts and health samples from Kafka to points in InfluxDB; what cannot be stored to the dead letters. */
@NullMarked
package io.inferwatch.jobs.store;

import org.jspecify.annotations.NullMarked;
