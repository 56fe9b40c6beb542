/** Events of any probe to Kafka: bounded, without ever blocking the caller, over a disk spool while Kafka is away. */
@NullMarked
package io.inferwatch.probes.publish;

import org.jspecify.annotations.NullMarked;
