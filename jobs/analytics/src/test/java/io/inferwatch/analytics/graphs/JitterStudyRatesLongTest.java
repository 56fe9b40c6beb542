package io.inferwatch.analytics.graphs;

import org.junit.jupiter.api.Tag;

/** The same in more rounds. */
@Tag("slow")
class JitterStudyRatesLongTest extends JitterStudyRatesTest {
    @Override
    int rounds() {
        return 1_000;
    }
}
