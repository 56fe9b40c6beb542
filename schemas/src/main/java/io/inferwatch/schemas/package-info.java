/** Contracts between probes, jobs and readers: Avro records, topics and the codec that frames the records. */
@NullMarked
package io.inferwatch.schemas;

import org.jspecify.annotations.NullMarked;
