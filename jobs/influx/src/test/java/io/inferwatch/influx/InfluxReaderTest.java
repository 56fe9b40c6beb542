package io.inferwatch.influx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class InfluxReaderTest {
    @Test
    void readsTagsAndTypedValues() {
        String body = "{\"results\":[{\"statement_id\":0,\"series\":[{\"name\":\"m\",\"tags\":{\"k\":\"a b,c=d\"},"
                + "\"columns\":[\"time\",\"n\",\"x\",\"s\"],"
                + "\"values\":[[1700000000000001,9007199254740993,42,null],[2,null,1e-9,\"t\"]]}]}]}";

        List<InfluxSeries> series = InfluxReader.read(body, "q");

        assertThat(series).hasSize(1);
        assertThat(series.get(0).tags()).isEqualTo(Map.of("k", "a b,c=d"));
        InfluxRow first = series.get(0).rows().get(0);
        assertThat(first.timeMicros()).isEqualTo(1_700_000_000_000_001L);
        // Above 2^53: a reading as floating point would lose the last digit.
        assertThat(first.integer("n")).hasValue(9_007_199_254_740_993L);
        assertThat(first.real("x")).hasValue(42.0);
        assertThat(first.text("s")).isEmpty();
        InfluxRow second = series.get(0).rows().get(1);
        assertThat(second.integer("n")).isEmpty();
        assertThat(second.real("x")).hasValue(1e-9);
        assertThat(second.text("s")).hasValue("t");
        assertThatThrownBy(() -> second.integer("x")).hasMessage("column x: must be a whole number, found 1.0E-9");
        assertThatThrownBy(() -> second.text("y")).hasMessage("column: must be one of [time, n, x, s], found 'y'");
    }

    @Test
    void anErrorInTheBodyIsAnError() {
        assertThatThrownBy(() -> InfluxReader.read(
                        "{\"results\":[{\"statement_id\":0,\"error\":\"database not found: x\"}]}", "SELECT 1"))
                .isInstanceOf(InfluxQueryException.class)
                .hasMessage("InfluxDB: database not found: x: SELECT 1");
    }

    @Test
    void aCutAnswerIsAnError() {
        assertThatThrownBy(() -> InfluxReader.read(
                        "{\"results\":[{\"series\":[{\"name\":\"m\",\"columns\":[\"time\"],\"values\":[[1]],"
                                + "\"partial\":true}]}]}",
                        "SELECT 1"))
                .hasMessageStartingWith("InfluxDB: the answer is cut");
    }

    @Test
    void quotingKeepsNamesAndValuesInTheirPlace() {
        assertThat(InfluxQl.identifier("a\"b\\c")).isEqualTo("\"a\\\"b\\\\c\"");
        assertThat(InfluxQl.string("it's \\ 'x'")).isEqualTo("'it\\'s \\\\ \\'x\\''");
        assertThat(InfluxQl.instant(5)).isEqualTo("5u");
    }
}
