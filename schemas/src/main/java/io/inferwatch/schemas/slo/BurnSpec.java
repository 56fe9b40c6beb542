package io.inferwatch.schemas.slo;

import io.inferwatch.schemas.Severity;
import java.time.Duration;

/**
 * When somebody is to hear that a budget burns too fast.
 *
 * @param name of the condition
 * @param severity page or ticket
 * @param factor how many times as fast as the budget allows
 * @param alertAfter how long it must hold
 * @param whenBreaching whether an alert is to fire
 * @param whenResolved whether its end is to be told
 * @param whenNoData whether missing data is an alert too
 */
public record BurnSpec(
        String name,
        Severity severity,
        double factor,
        Duration longWindow,
        Duration shortWindow,
        Duration alertAfter,
        boolean whenBreaching,
        boolean whenResolved,
        boolean whenNoData) {}
