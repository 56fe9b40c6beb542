/** The bytes of a request and its answer, with the times at which they came, to what an event says of them. Knows no network. */
@NullMarked
package io.inferwatch.probes.proxy.measure;

import org.jspecify.annotations.NullMarked;
