package io.inferwatch.influx;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerVersionTest {
    @ParameterizedTest
    @CsvSource({
        "1.6.7~rc0, true, false",
        "1.7.11, true, false",
        "1.8.10, false, false",
        "v1.12.2, false, false",
        "0.13.0, true, false",
        "2.7.11, false, true",
        "v2.7.11, false, true",
        "unknown, false, false",
    })
    void decidesWhatAServerCanDo(String text, boolean legacy, boolean buckets) {
        ServerVersion version = ServerVersion.parse(text);

        assertThat(version.isLegacy()).isEqualTo(legacy);
        assertThat(version.hasBuckets()).isEqualTo(buckets);
        assertThat(version).hasToString(text);
    }
}
