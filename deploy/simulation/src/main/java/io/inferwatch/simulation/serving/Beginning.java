package io.inferwatch.simulation.serving;

import java.util.Optional;

/** What a server knows of a request's stages when its first token comes: what it can say in the headers of its answer. */
public record Beginning(
        long gatewayNanos,
        long authenticationNanos,
        Optional<Guardrail.Check> guardrail,
        long tokenizeNanos,
        long queueNanos,
        long prefillNanos) {}
