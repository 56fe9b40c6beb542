/** Kafka records to rows that can be trusted: decoded, timed, screened for nonsense, repeats, gaps and lateness. */
@NullMarked
package io.inferwatch.jobs.ingest;

import org.jspecify.annotations.NullMarked;
