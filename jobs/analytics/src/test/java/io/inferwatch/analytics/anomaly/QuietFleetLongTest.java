package io.inferwatch.analytics.anomaly;

import org.junit.jupiter.api.Tag;

/** Two hundred series for thirty days: nine million windows. */
@Tag("slow")
class QuietFleetLongTest extends QuietFleetTest {
    @Override
    int days() {
        return 30;
    }

    @Override
    int series() {
        return 200;
    }
}
