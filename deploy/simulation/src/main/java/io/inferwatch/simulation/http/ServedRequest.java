package io.inferwatch.simulation.http;

import io.inferwatch.simulation.serving.Journey;
import java.util.List;

/**
 * A request that has ended, by the server's own clock: the truth against which probes are checked.
 *
 * @param id in the answer
 * @param choices the journey of each choice
 * @param sentNanos when each token (of all choices) was handed to the connection, from the arrival of the headers on
 * @param endNanos when the last byte was handed over or the client went away, from the arrival of the headers on
 */
record ServedRequest(
        String id,
        GenerationRequest request,
        RequestHeaders headers,
        List<Journey> choices,
        List<Long> sentNanos,
        long endNanos) {}
