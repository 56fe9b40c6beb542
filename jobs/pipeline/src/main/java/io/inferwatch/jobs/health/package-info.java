/** Inferwatch's own state: picked metrics of the jobs become health samples on Kafka. */
@NullMarked
package io.inferwatch.jobs.health;

import org.jspecify.annotations.NullMarked;
