/** Points and queries to InfluxDB and back: connection, setup, line protocol, writer, reader, and the names that stored data go by. */
@NullMarked
package io.inferwatch.influx;

import org.jspecify.annotations.NullMarked;
