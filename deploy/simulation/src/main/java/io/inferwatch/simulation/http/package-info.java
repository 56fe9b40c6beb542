/** A simulated server in real time: an OpenAI-compatible HTTP interface with vLLM's metrics and spans, which says that it is simulated. */
@NullMarked
package io.inferwatch.simulation.http;

import org.jspecify.annotations.NullMarked;
