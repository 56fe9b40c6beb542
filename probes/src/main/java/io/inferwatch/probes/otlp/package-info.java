/** Requests as engines and applications tell of them in OpenTelemetry spans: received, understood, joined with what the proxy measured. */
@NullMarked
package io.inferwatch.probes.otlp;

import org.jspecify.annotations.NullMarked;
