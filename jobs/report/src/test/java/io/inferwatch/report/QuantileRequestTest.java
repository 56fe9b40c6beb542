package io.inferwatch.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuantileRequestTest {
    private static final Instant FROM = Instant.parse("2026-11-30T12:00:01Z");
    private static final Instant TO = Instant.parse("2026-11-30T13:00:59Z");

    @ParameterizedTest
    @CsvSource({
        "'', fleet",
        "model, model-version",
        "version, model-version",
        "'version,model', model-version",
        "replica, replica-version",
        "tenant, tenant-model",
        "'tenant,model', tenant-model",
        "run, run"
    })
    void takesTheSmallestViewThatTellsTheDimensionsApart(String by, String view) {
        List<String> dimensions = by.isEmpty() ? List.of() : Arrays.asList(by.split(","));

        assertThat(request("ttft", dimensions, 0.5).view().name()).isEqualTo(view);
    }

    @Test
    void coversWholeMinutesOnly() {
        QuantileRequest request = request("ttft", List.of(), 0.5);

        assertThat(request.from()).isEqualTo(Instant.parse("2026-11-30T12:01:00Z"));
        assertThat(request.to()).isEqualTo(Instant.parse("2026-11-30T13:00:00Z"));
        assertThat(request.minutes()).isEqualTo(59);
        assertThatThrownBy(() -> QuantileRequest.of(
                        MetricCatalogue.shipped(), "ttft", List.of(), List.of(0.5), FROM, FROM.plusSeconds(60)))
                .hasMessage("--from, --to: must span at least one whole minute, found " + FROM
                        + " to 2026-11-30T12:01:01Z");
    }

    @Test
    void saysWhatItCannotMeetAndTheNearestThatItCan() {
        assertThatThrownBy(() -> request("tttf", List.of(), 0.5))
                .hasMessage(
                        "--metric: must be one of ttft, tpot, itl, e2e, queue, sequence_tokens, batch_size, found 'tttf', did you mean 'ttft'?");
        assertThatThrownBy(() -> request("decode", List.of(), 0.5))
                .hasMessage("--metric: must be one whose sketches are stored (ttft, tpot, itl, e2e, queue,"
                        + " sequence_tokens, batch_size), found 'decode'");
        assertThatThrownBy(() -> request("ttft", List.of("modle"), 0.5))
                .hasMessage(
                        "--by: must be of model, replica, run, tenant, version, found 'modle', did you mean 'model'?");
        assertThatThrownBy(() -> request("ttft", List.of("tenant", "replica"), 0.5))
                .hasMessage("--by: must be dimensions that one view keeps sketches by (none; model,version;"
                        + " replica,version; tenant,model; run), found tenant,replica");
        assertThatThrownBy(() -> request("ttft", List.of("model", "model"), 0.5))
                .hasMessage("--by: must name each dimension once, found [model, model]");
        assertThatThrownBy(() -> request("ttft", List.of(), 1.0))
                .hasMessage("--q: must be above 0 and below 1, found 1.0");
        assertThatThrownBy(() -> request("ttft", List.of(), Double.NaN))
                .hasMessage("--q: must be above 0 and below 1, found NaN");
    }

    private static QuantileRequest request(String metric, List<String> by, double q) {
        return QuantileRequest.of(MetricCatalogue.shipped(), metric, by, List.of(q), FROM, TO);
    }
}
