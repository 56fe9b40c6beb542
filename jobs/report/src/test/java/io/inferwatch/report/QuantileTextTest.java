package io.inferwatch.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferwatch.report.QuantileReport.Group;
import io.inferwatch.report.QuantileReport.Limits;
import io.inferwatch.report.QuantileReport.Quantile;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class QuantileTextTest {
    private static final QuantileReport REPORT = new QuantileReport(
            QuantileRequest.of(
                    MetricCatalogue.shipped(),
                    "ttft",
                    List.of("model"),
                    List.of(0.5, 0.999),
                    Instant.parse("2026-11-30T12:00:00Z"),
                    Instant.parse("2026-11-30T13:00:00Z")),
            58,
            List.of(
                    new Group(
                            List.of("llama-70b"),
                            12_345,
                            0.000_512,
                            0.25,
                            12.5,
                            List.of(
                                    new Quantile(0.5, 0.2, Optional.of(new Limits(0.195, 0.205))),
                                    new Quantile(0.999, 10, Optional.of(new Limits(9.1, 11.25))))),
                    new Group(
                            List.of("m"),
                            3,
                            0,
                            1234,
                            2000,
                            List.of(
                                    new Quantile(0.5, 1.5, Optional.empty()),
                                    new Quantile(0.999, 2000, Optional.empty())))));

    @Test
    void aTableIsAligned() {
        assertThat(QuantileText.table(REPORT))
                .containsExactly(
                        "ttft: Time to first token. Every request that got one",
                        "2026-11-30T12:00:00Z to 2026-11-30T13:00:00Z, 58 of 60 minutes with data",
                        "model          n       p50          95 % limits    p99.9        95 % limits       min      mean      max",
                        "llama-70b  12345  200.0 ms  195.0 ms - 205.0 ms  10.00 s  9.100 s - 11.25 s  512.0 us  250.0 ms  12.50 s",
                        "m              3   1.500 s        not estimable   2000 s      not estimable       0 s    1234 s   2000 s");
    }

    @Test
    void jsonHoldsTheSame() throws Exception {
        JsonNode json = new ObjectMapper().readTree(QuantileText.json(REPORT));

        assertThat(json.get("metric").asText()).isEqualTo("ttft");
        assertThat(json.get("unit").asText()).isEqualTo("seconds");
        assertThat(json.get("view").asText()).isEqualTo("model-version");
        assertThat(json.get("from").asText()).isEqualTo("2026-11-30T12:00:00Z");
        assertThat(json.get("minutes").asLong()).isEqualTo(60);
        assertThat(json.get("minutesWithData").asLong()).isEqualTo(58);
        JsonNode first = json.get("groups").get(0);
        assertThat(first.get("by").get("model").asText()).isEqualTo("llama-70b");
        assertThat(first.get("n").asLong()).isEqualTo(12_345);
        assertThat(first.get("quantiles").get(1).toString())
                .isEqualTo("{\"q\":0.999,\"value\":10.0,\"estimable\":true,\"low\":9.1,\"high\":11.25}");
        assertThat(json.get("groups").get(1).get("quantiles").get(0).toString())
                .isEqualTo("{\"q\":0.5,\"value\":1.5,\"estimable\":false}");
    }
}
