package io.inferwatch.jobs.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Guardrail;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Severity;
import io.inferwatch.schemas.Source;
import io.inferwatch.schemas.Traffic;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowDecoderTest {
    private final EventLayout layout = EventLayout.of(MetricCatalogue.shipped());
    private final RequestRow row = new RequestRow(layout, new TextTable());
    private final RowDecoder decoder = new RowDecoder(layout);
    private final EventCodec codec = new EventCodec();

    @Test
    void readsTheFieldsOfTheCatalogueAndStepsOverAllOthers() {
        QuantileSketch gaps = new QuantileSketch();
        gaps.add(7_000_000);
        RequestEvent event = full(gaps);

        decode(codec.encode(event));

        assertThat(row.kind()).isEqualTo(RequestRow.Kind.REQUEST);
        assertThat(row.number(layout.number("sequence"))).isEqualTo(41);
        assertThat(row.number(layout.number("completedAtMicros"))).isEqualTo(1_700_000_000_123_456L);
        assertThat(row.number(layout.number("outcome"))).isEqualTo(Outcome.TIMEOUT.ordinal());
        assertThat(row.number(layout.number("traffic"))).isEqualTo(Traffic.SYNTHETIC.ordinal());
        assertThat(row.number(layout.number("ttftMicros"))).isEqualTo(123_456);
        assertThat(row.number(layout.number("turn"))).isEqualTo(3);
        assertThat(row.number(layout.number("queueMicros"))).isEqualTo(RequestRow.ABSENT);
        assertThat(text("stream")).isEqualTo("proxy-1/replica-7");
        assertThat(text("replica")).isEqualTo("replica-7");
        assertThat(text("tenant")).isEqualTo("größe");
        assertThat(row.text(layout.text("pool"))).isEqualTo(-1);
        QuantileSketch read = row.sketch(layout.bytes("itlSketch"));
        assertThat(read).isNotNull();
        assertThat(read.max()).isEqualTo(7_000_000);
    }

    @Test
    void readsHeartbeats() {
        Heartbeat heartbeat = Heartbeat.newBuilder()
                .setStream("s")
                .setNextSequence(9)
                .setEventTimeMicros(5)
                .setEmittedAtMicros(6)
                .setReplica("r")
                .setSource(Source.PROXY)
                .setIntervalMicros(5_000_000)
                .setOpenRequests(2)
                .setAwaitingFirstToken(1)
                .setOldestOpenMicros(33L)
                .setStartedTotal(3)
                .setCompletedTotal(1)
                .setFailedTotal(0)
                .setCancelledTotal(0)
                .build();
        decode(codec.encode(heartbeat));
        assertThat(row.kind()).isEqualTo(RequestRow.Kind.HEARTBEAT);
        assertThat(row.number(layout.number("nextSequence"))).isEqualTo(9);
        assertThat(row.number(layout.number("oldestOpenMicros"))).isEqualTo(33);
        assertThat(row.number(layout.number("source"))).isEqualTo(Source.PROXY.ordinal());
    }

    @Test
    void saysWhyARecordIsNoEvent() {
        decode("{\"a\":1}".getBytes(StandardCharsets.UTF_8));
        assertThat(row.kind()).isEqualTo(RequestRow.Kind.FAULTY);
        assertThat(row.faultReason()).isEqualTo("not-single-object");
        assertThat(row.faultDetail()).contains("JSON");

        decode(new byte[] {0, 0, 0, 0, 8, 1, 2, 3, 4, 5, 6});
        assertThat(row.faultDetail()).contains("Confluent");

        byte[] foreign = codec.encode(full(new QuantileSketch()));
        Arrays.fill(foreign, 2, 10, (byte) 7);
        decode(foreign);
        assertThat(row.faultReason()).isEqualTo("unknown-schema");
        assertThat(row.faultDetail()).contains("0707070707070707");

        decode(codec.encode(new Alert(
                "f", "n", AlertState.FIRING, Severity.PAGE, 1L, 1L, null, Map.of(), "s", List.of(), List.of())));
        assertThat(row.faultReason()).isEqualTo("unexpected-record");
    }

    @Test
    void everyTruncationIsMalformedAndLeftoverBytesAreToo() {
        byte[] whole = codec.encode(full(new QuantileSketch()));
        for (int length = EventCodec.HEADER_BYTES; length < whole.length; length++) {
            decode(Arrays.copyOf(whole, length));
            assertThat(row.kind()).as("%d of %d bytes", length, whole.length).isEqualTo(RequestRow.Kind.FAULTY);
            assertThat(row.faultReason()).isEqualTo("malformed");
        }
        decode(Arrays.copyOf(whole, whole.length + 1));
        assertThat(row.faultReason()).isEqualTo("malformed");
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {11, 12, 13})
    void neverThrowsWhateverTheBytes(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] whole = codec.encode(full(new QuantileSketch()));
        for (int i = 0; i < 30_000; i++) {
            byte[] mutated = whole.clone();
            for (int m = random.nextInt(1, 6); m > 0; m--) {
                mutated[random.nextInt(EventCodec.HEADER_BYTES, mutated.length)] = (byte) random.nextInt(256);
            }
            assertThatCode(() -> decode(mutated)).doesNotThrowAnyException();
        }
    }

    @Test
    void aFullTextTableStartsTheNextGeneration() {
        TextTable table = new TextTable();
        for (int i = 0; i < 200_000; i++) {
            byte[] text = ("text " + i).getBytes(StandardCharsets.UTF_8);
            assertThat(table.number(text, 0, text.length)).isEqualTo(i);
        }
        byte[] first = "text 0".getBytes(StandardCharsets.UTF_8);
        assertThat(table.number(first, 0, first.length)).isZero();
        assertThat(table.text(199_999)).isEqualTo("text 199999");
        table.renewWhenFull();
        assertThat(table.generation()).isEqualTo(1);
        byte[] other = "other".getBytes(StandardCharsets.UTF_8);
        assertThat(table.number(other, 0, other.length)).isZero();
    }

    private void decode(byte[] bytes) {
        row.begin(3, 77, 1_700_000_001_000L, null, bytes);
        decoder.decode(row);
    }

    private String text(String field) {
        return row.table().text(row.text(layout.text(field)));
    }

    private static RequestEvent full(QuantileSketch gaps) {
        return RequestEvent.newBuilder()
                .setStream("proxy-1/replica-7")
                .setSequence(41)
                .setCompletedAtMicros(1_700_000_000_123_456L)
                .setTraffic(Traffic.SYNTHETIC)
                .setOutcome(Outcome.TIMEOUT)
                .setReplica("replica-7")
                .setTenant("größe")
                .setTurn(3)
                .setTtftMicros(123_456L)
                .setItlSketch(ByteBuffer.wrap(SketchEncoding.encode(gaps)))
                .setStartedAtMicros(1_700_000_000_000_000L)
                .setSource(Source.PROXY)
                .setMarks(List.of("no-done", "coalesced"))
                .setConfiguration(Map.of("quantization", "awq"))
                .setGuardrails(List.of(new Guardrail("pii", "sidecar", 80_000L, "bypass")))
                .setStreaming(true)
                .setCostMicros(12L)
                .build();
    }
}
