package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.anomaly.AnomalyRule;
import io.inferwatch.schemas.catalogue.AnomalySetting;

/** The one rule by sensitivity, which changes at what chance somebody is told, and nothing that is learned. */
final class AnomalyRules {
    private static final AnomalyRule LOW = AnomalyRule.STANDARD.toldAt(1e-12);
    private static final AnomalyRule HIGH = AnomalyRule.STANDARD.toldAt(1e-6);

    private AnomalyRules() {}

    static AnomalyRule of(AnomalySetting setting) {
        return switch (setting.sensitivity()) {
            case LOW -> LOW;
            case STANDARD -> AnomalyRule.STANDARD;
            case HIGH -> HIGH;
        };
    }
}
