package io.inferwatch.analytics.drift;

import org.junit.jupiter.api.Tag;

/** The same over five days of minutes, and for a hundred keys each. */
@Tag("slow")
class DriftHistoryRatesLongTest extends DriftHistoryRatesTest {
    @Override
    int minutes() {
        return 5 * 1_440;
    }

    @Override
    int keys() {
        return 100;
    }
}
