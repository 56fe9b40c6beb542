package io.inferwatch.jobs.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.jobs.ingest.RequestRow;
import io.inferwatch.jobs.ingest.Rows;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.Traffic;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PaneOperatorTest {
    private static final long TEN = Instant.parse("2026-01-01T10:00:00Z").toEpochMilli();
    private static final MetricLayout METRICS = MetricLayout.of(MetricCatalogue.shipped(), Metric.Origin.REQUESTS);

    private final Rows rows = new Rows(MetricCatalogue.shipped());
    private OneInputStreamOperatorTestHarness<RequestRow, Partial> harness;
    private long sequence;

    @BeforeEach
    void open() throws Exception {
        harness = new OneInputStreamOperatorTestHarness<>(new PaneOperator(
                MetricCatalogue.shippedYaml(),
                new Goodput(Duration.ofSeconds(1), Duration.ofMillis(100), null),
                Duration.ofSeconds(5)));
        harness.open();
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void mostOfAPaneLeavesEarlyAndTheRestBeforeTheWatermarkThatEndsIt() throws Exception {
        request(TEN);
        request(TEN + 9_999);
        request(TEN + 10_000);
        harness.processWatermark(TEN + 5_998);
        assertThat(partials("fleet")).isEmpty();
        harness.processWatermark(TEN + 5_999);
        assertThat(partials("fleet")).singleElement().satisfies(p -> {
            assertThat(p.paneEndMillis()).isEqualTo(TEN + 10_000);
            assertThat(content(p).events()).isEqualTo(2);
        });
        request(TEN + 9_998);
        harness.processWatermark(TEN + 9_998);
        assertThat(partials("fleet")).hasSize(1);
        harness.processWatermark(TEN + 9_999);
        assertThat(partials("fleet")).hasSize(2).last().satisfies(p -> {
            assertThat(p.paneEndMillis()).isEqualTo(TEN + 10_000);
            assertThat(content(p).events()).isEqualTo(1);
        });
        Object last = harness.getOutput().toArray()[harness.getOutput().size() - 1];
        assertThat(last).as("the watermark follows its partials").hasToString("Watermark @ " + (TEN + 9_999));
    }

    @Test
    void aCheckpointLeavesNothingBehind() throws Exception {
        request(TEN);
        request(TEN + 10_000);
        harness.prepareSnapshotPreBarrier(1);
        assertThat(partials("fleet")).hasSize(2);
        harness.endInput();
        assertThat(partials("fleet")).hasSize(2);
    }

    @Test
    void lateEventsAreGatheredForAWhile() throws Exception {
        harness.processWatermark(TEN + 60_000);
        request(TEN);
        harness.processWatermark(TEN + 60_001);
        request(TEN + 1);
        harness.processWatermark(TEN + 62_000);
        assertThat(partials("fleet")).isEmpty();
        harness.processWatermark(TEN + 60_000 + PaneOperator.LATE_FLUSH_MILLIS);
        assertThat(partials("fleet"))
                .singleElement()
                .satisfies(p -> assertThat(content(p).events()).isEqualTo(2));
    }

    @Test
    void syntheticTrafficReachesItsRunAlone() throws Exception {
        send(
                Rows.request("s", sequence++, TEN)
                        .setTraffic(Traffic.SYNTHETIC)
                        .setRun("nightly")
                        .build(),
                TEN);
        harness.endInput();
        assertThat(harness.extractOutputValues()).singleElement().satisfies(p -> {
            assertThat(p.series()).isEqualTo("run/nightly");
            assertThat(p.paneEndMillis()).isEqualTo(TEN + 1_000);
        });
    }

    @Test
    void sumsFollowOutcomesLimitsAndWeights() throws Exception {
        send(good().build(), TEN);
        send(good().setTtftMicros(1_000_001L).build(), TEN);
        send(good().setTtftMicros(1_500_000L).setSloTtftMicros(2_000_000L).build(), TEN);
        send(good().setTpotNanos(null).build(), TEN);
        send(good().setOutcome(Outcome.CLIENT_CANCEL).build(), TEN);
        send(good().setOutcome(Outcome.TRUNCATED).setSampleWeight(10).build(), TEN);
        send(good().setSampleWeight(3).build(), TEN);
        harness.endInput();

        WindowContent fleet = content(partials("fleet").get(0));
        assertThat(fleet.events()).isEqualTo(18);
        assertThat(sum(fleet, "completed")).isEqualTo(7);
        assertThat(sum(fleet, "cancelled")).isEqualTo(1);
        assertThat(sum(fleet, "failed")).isEqualTo(10);
        assertThat(sum(fleet, "truncated")).isEqualTo(10);
        assertThat(sum(fleet, "good"))
                .as("within limits, its own where it brings one")
                .isEqualTo(1 + 1 + 3);
        assertThat(sum(fleet, "prefilled_tokens")).isEqualTo(18 * 60);
        assertThat(sum(fleet, "cached_tokens")).isEqualTo(18 * 40);
        assertThat(sketchN(fleet, "ttft")).isEqualTo(18);
        assertThat(sketchN(fleet, "e2e")).as("complete requests only").isEqualTo(7);
    }

    @Test
    void viewsOfWhatIsSeldomToldTakeOnlyRequestsThatTellIt() throws Exception {
        send(good().setModel("m").build(), TEN);
        send(
                good().setModel("m")
                        .setMaxContextTokens(100L)
                        .setGuardrailMode("inline")
                        .build(),
                TEN);
        send(
                good().setModel("m")
                        .setMaxContextTokens(400L)
                        .setCachedTokens(null)
                        .build(),
                TEN);
        send(good().setModel("m").setTurn(5).setConversationState("kept").build(), TEN);
        send(good().setTurn(5).setConversationState("kept").build(), TEN);
        send(
                good().setModel("m")
                        .setPromptStructure("json")
                        .setPromptCharacters(320L)
                        .build(),
                TEN);
        send(
                good().setModel("m")
                        .setPromptStructure("json")
                        .setPromptCharacters(320L)
                        .setTokenizeMicros(900L)
                        .build(),
                TEN);
        send(good().setModel("m").setConfigurationName("awq").build(), TEN);
        harness.endInput();

        assertThat(series("kv")).as("fill and reuse known").containsExactly("kv/90.40/m");
        assertThat(series("state-turn")).as("with a model").containsExactly("state-turn/kept/5/m");
        assertThat(series("guardrail")).as("without a version").isEmpty();
        assertThat(series("structure")).as("tokenisation timed").containsExactly("structure/json/256/m");
        assertThat(series("configuration")).containsExactly("configuration/awq/m");
        WindowContent fleet = content(partials("fleet").get(0));
        assertThat(fleet.events()).isEqualTo(8);
        assertThat(sketchN(fleet, "prompt_characters")).isEqualTo(1);
        assertThat(sketchN(fleet, "context_fill")).isEqualTo(2);
        assertThat(sketchN(fleet, "cache_reuse")).isEqualTo(7);
    }

    @Test
    void aShareIsInMillionthsAndAtMostOne() throws Exception {
        send(good().setMaxContextTokens(400L).build(), TEN);
        send(
                good().setMaxContextTokens(80L)
                        .setPromptTokens(0L)
                        .setCachedTokens(0L)
                        .build(),
                TEN);
        send(good().setMaxContextTokens(80L).build(), TEN);
        harness.endInput();
        WindowContent fleet = content(partials("fleet").get(0));
        assertThat(sketch(fleet, "context_fill").sum()).isEqualTo(250_000 + 0 + 1_000_000);
        assertThat(sketch(fleet, "context_fill").max()).isEqualTo(1_000_000);
        assertThat(sketch(fleet, "cache_reuse").sum()).as("no prompt, no reuse").isEqualTo(400_000 + 0 + 400_000);
    }

    @Test
    void aHeartbeatIsAGaugeOfItsReplicaAndNothingElse() throws Exception {
        send(
                Rows.heartbeat("s", 0, TEN)
                        .setOpenRequests(4)
                        .setOldestOpenMicros(9_000_000L)
                        .build(),
                TEN);
        send(Rows.heartbeat("s", 0, TEN + 5_000).setOpenRequests(2).build(), TEN + 5_000);
        harness.endInput();
        assertThat(harness.extractOutputValues()).singleElement().satisfies(p -> {
            assertThat(p.series()).isEqualTo("replica-version/replica-1/none");
            assertThat(content(p).events()).isZero();
            assertThat(content(p).gauge(gauge("open_requests")))
                    .isEqualTo(new Gauge(2, 6, 2, 4, 2, (TEN + 5_000) * 1000, 0, 0));
            assertThat(content(p).gauge(gauge("oldest_open")))
                    .extracting(Gauge::n, Gauge::max)
                    .containsExactly(1L, 9_000_000L);
        });
    }

    @Test
    void tooManyCellsAreFlushedEarlyAndNothingIsLost() throws Exception {
        for (int i = 0; i < 25_000; i++) {
            send(Rows.request("s", sequence++, TEN).setTenant("tenant-" + i).build(), TEN);
        }
        assertThat(partials("fleet")).as("at 20,000 cells").hasSize(1);
        harness.endInput();
        assertThat(partials("fleet").stream()
                        .mapToLong(p -> content(p).events())
                        .sum())
                .isEqualTo(25_000);
        assertThat(partials("tenant-model")).hasSize(25_000);
    }

    private io.inferwatch.schemas.RequestEvent.Builder good() {
        return Rows.request("s", sequence++, TEN)
                .setTtftMicros(1_000_000L)
                .setTpotNanos(100_000_000L)
                .setE2eMicros(3_000_000L)
                .setPromptTokens(100L)
                .setCachedTokens(40L);
    }

    private void request(long atMillis) throws Exception {
        send(Rows.request("s", sequence++, atMillis).build(), atMillis);
    }

    private void send(SpecificRecord event, long atMillis) throws Exception {
        harness.processElement(new StreamRecord<>(rows.of(event, atMillis), atMillis));
    }

    private List<Partial> partials(String view) {
        return harness.extractOutputValues().stream()
                .filter(p -> p.view().equals(view))
                .toList();
    }

    private static WindowContent content(Partial partial) {
        return WindowContent.decode(METRICS, partial.content());
    }

    private static long sum(WindowContent content, String metric) {
        return content.sum(METRICS.sums().stream().map(m -> m.name()).toList().indexOf(metric));
    }

    private static long sketchN(WindowContent content, String metric) {
        return sketch(content, metric).n();
    }

    private static QuantileSketch sketch(WindowContent content, String metric) {
        var sketch = content.sketch(
                METRICS.quantiles().stream().map(m -> m.name()).toList().indexOf(metric));
        return sketch == null ? new QuantileSketch() : sketch;
    }

    private List<String> series(String view) {
        return partials(view).stream().map(Partial::series).toList();
    }

    private static int gauge(String metric) {
        return METRICS.gauges().stream().map(m -> m.name()).toList().indexOf(metric);
    }
}
