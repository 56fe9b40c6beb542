package io.inferwatch.jobs.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.time.Instant;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.operators.InputSelection;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReadmitOperatorTest {
    private static final long TEN = Instant.parse("2026-01-01T10:00:00Z").toEpochMilli();
    private static final long ELEVEN = TEN + Hours.MILLIS;
    private static final String CATALOGUE = """
            metrics:
              requests: {of: requests, kind: sum, value: "1", unit: requests, help: requests}
            dimensions:
              model: {field: model, limit: 2}
              version: {field: version, limit: 2, per: model}
              replica: {field: replica, limit: 100}
            views:
              model-version: {by: [model, version], max-series: 100}
              replica: {by: [replica], max-series: 2}
            """;
    private static final MetricLayout METRICS =
            MetricLayout.of(MetricCatalogue.parse("test", CATALOGUE), Metric.Origin.REQUESTS);

    private final ReadmitOperator operator = new ReadmitOperator(CATALOGUE);
    private KeyedTwoInputStreamOperatorTestHarness<String, PublishedHour, Partial, Partial> harness;

    @BeforeEach
    void open() throws Exception {
        harness = new KeyedTwoInputStreamOperatorTestHarness<>(
                operator,
                PublishedHour::admission,
                partial -> PublishedHour.admission(partial.view(), Hours.endMillis(partial.paneEndMillis())),
                Types.STRING);
        harness.open();
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void thePublishedAreReadBeforeTheEvents() throws Exception {
        assertThat(operator.nextSelection()).isEqualTo(InputSelection.FIRST);
        operator.endInput(1);
        assertThat(operator.nextSelection()).isEqualTo(InputSelection.ALL);
    }

    @Test
    void whoHadANameKeepsItAndWhoWasOtherStaysSoWhateverComesFirst() throws Exception {
        published("model-version/b/v1", ELEVEN, 1);
        published("model-version/a/v1", ELEVEN, 1);
        published("model-version/other/v1", ELEVEN, 1);
        published("model-version/a/other", ELEVEN, 1);
        // Of the hour's first comers c was refused, though it comes first now and a place is free for b's versions.
        assertThat(send(ELEVEN, 1, "model-version", "c", "v1")).containsExactly("other", "v1");
        assertThat(send(ELEVEN, 1, "model-version", "a", "v2")).containsExactly("a", "other");
        assertThat(send(ELEVEN, 1, "model-version", "a", "v1")).containsExactly("a", "v1");
        assertThat(send(ELEVEN, 1, "model-version", "b", "v1")).containsExactly("b", "v1");
        assertThat(send(ELEVEN, 1, "model-version", "b", "late")).containsExactly("b", "late");
        assertThat(send(ELEVEN, 1, "model-version", "none", "none")).containsExactly("none", "none");
        end();
    }

    @Test
    void moreNamesThanTheLimitAreKeptWhenTheyWerePublishedSo() throws Exception {
        for (String model : List.of("a", "b", "c")) {
            published("model-version/" + model + "/v1", ELEVEN, 1);
        }
        for (String model : List.of("c", "b", "a")) {
            assertThat(send(ELEVEN, 1, "model-version", model, "v1")).containsExactly(model, "v1");
        }
        assertThat(send(ELEVEN, 1, "model-version", "late", "v1")).containsExactly("other", "v1");
        end();
    }

    @Test
    void aSeriesThatWasBeyondTheViewsLimitIsSoAgain() throws Exception {
        published("replica/r1", ELEVEN, 1);
        published("replica/other", ELEVEN, 2);
        assertThat(send(ELEVEN, 2, "replica", "r2")).containsExactly("other");
        assertThat(send(ELEVEN, 1, "replica", "r1")).containsExactly("r1");
        end();
    }

    @Test
    void hoursAreApartAndWhereNothingWasPublishedTheLimitsHold() throws Exception {
        published("model-version/a/v1", ELEVEN, 1);
        published("model-version/other/v1", ELEVEN, 1);
        long twelve = ELEVEN + Hours.MILLIS;
        assertThat(send(twelve, 1, "model-version", "x", "v1")).containsExactly("x", "v1");
        assertThat(send(twelve, 1, "model-version", "y", "v1")).containsExactly("y", "v1");
        assertThat(send(twelve, 1, "model-version", "z", "v1")).containsExactly("other", "v1");
        assertThat(send(ELEVEN, 1, "model-version", "x", "v1")).containsExactly("other", "v1");
        assertThat(send(ELEVEN, 1, "model-version", "a", "v1")).containsExactly("a", "v1");
        end();
    }

    @Test
    void anHourThatWouldHoldLessThanWasPublishedStopsTheJobBeforeEventTimeEnds() throws Exception {
        published("model-version/a/v1", ELEVEN, 5);
        // Revisions may come in any order.
        published("model-version/a/v1", ELEVEN, 3);
        published("model-version/gone/v1", ELEVEN, 2);
        send(ELEVEN, 4, "model-version", "a", "v1");
        send(ELEVEN + 10_000, 1, "model-version", "a", "v1");
        harness.processWatermark1(Watermark.MAX_WATERMARK);
        assertThatThrownBy(() -> harness.processWatermark2(Watermark.MAX_WATERMARK))
                .isInstanceOf(ShrinkingWindowException.class)
                .hasMessageStartingWith(
                        "nothing is published: 2 series of the hour to 2026-01-01T11:00:00Z would hold less"
                                + " than was published: ")
                .hasMessageContaining("model-version/a/v1 lacks 1 events")
                .hasMessageContaining("model-version/gone/v1 lacks 2 events");
        assertThat(harness.getOutput()).doesNotContain(Watermark.MAX_WATERMARK);
    }

    @Test
    void windowsOfViewsThatTheCatalogueHasNoMoreAreLeftAlone() throws Exception {
        published("tenant/t", ELEVEN, 5);
        end();
    }

    private void published(String series, long endMillis, long events) throws Exception {
        harness.processElement1(new StreamRecord<>(new PublishedHour(series, endMillis, events)));
    }

    private List<String> send(long paneEndMillis, long events, String view, String... values) throws Exception {
        harness.getOutput().clear();
        WindowContent content = new WindowContent(METRICS);
        content.countEvents(events);
        harness.processElement2(new StreamRecord<>(new Partial(view, values, paneEndMillis, content.encode())));
        return List.of(harness.extractOutputValues().get(0).values());
    }

    /** All that was published has come again. */
    private void end() throws Exception {
        harness.processWatermark1(Watermark.MAX_WATERMARK);
        harness.processWatermark2(Watermark.MAX_WATERMARK);
        assertThat(harness.getOutput()).contains(Watermark.MAX_WATERMARK);
    }
}
