package io.inferwatch.analytics.change;

import org.junit.jupiter.api.Tag;

/** Two thousand histories of each kind. */
@Tag("slow")
class ChangeRatesLongTest extends ChangeRatesTest {
    @Override
    int histories() {
        return 2_000;
    }

    @Override
    double mostFalsePerThousand() {
        return 0.2;
    }
}
