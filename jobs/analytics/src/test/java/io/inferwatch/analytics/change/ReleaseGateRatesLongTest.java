package io.inferwatch.analytics.change;

import org.junit.jupiter.api.Tag;

/** A thousand gates of each kind. */
@Tag("slow")
class ReleaseGateRatesLongTest extends ReleaseGateRatesTest {
    @Override
    int rounds() {
        return 1_000;
    }

    @Override
    int requestsAMinute() {
        return 200;
    }
}
