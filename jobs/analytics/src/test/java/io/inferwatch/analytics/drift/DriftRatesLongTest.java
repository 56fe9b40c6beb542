package io.inferwatch.analytics.drift;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The same in more rounds, and for a baseline of a million. */
@Tag("slow")
class DriftRatesLongTest extends DriftRatesTest {
    @Override
    int rounds() {
        return 10_000;
    }

    @ParameterizedTest(name = "{0} against {1}, times {2}: {3} to {4}, seed 1")
    @CsvSource({
        "100000, 1000000, 1.03, 0.007, 0.017",
        "100000, 1000000, 1.00, 0,     0.003",
        "100000, 1000000, 1.06, 0.67,  0.67",
        "100000, 1000000, 1.10, 1.00,  1.00"
    })
    void largeWindows(int currentN, int baselineN, double factor, double least, double most) {
        assertPublished(rounds / 10, currentN, baselineN, factor, least, most);
    }
}
