package io.inferwatch.probes.pods;

/** A pod of this node. */
public record Pod(String namespace, String name) {}
