/**
 * A simulated inference server in virtual time: the stages around the engine, guardrails, and the faults that can be switched on while it
 * runs.
 */
@NullMarked
package io.inferwatch.simulation.serving;

import org.jspecify.annotations.NullMarked;
