package io.inferwatch.probes.otlp;

import static io.inferwatch.probes.otlp.Spans.batch;
import static io.inferwatch.probes.otlp.Spans.resource;
import static io.inferwatch.probes.otlp.Spans.span;
import static io.inferwatch.probes.otlp.Spans.text;
import static io.inferwatch.probes.otlp.Spans.vllm;
import static io.inferwatch.probes.otlp.Spans.whole;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.inferwatch.probes.publish.ReplicaState;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.settings.Settings;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.Span.SpanKind;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpanReceiverTest {
    private static final Resource REPLICA =
            resource(text("service.instance.id", "vllm-0"), text("service.name", "chat"));

    @TempDir
    private Path directory;

    private final List<RequestEvent> published = new ArrayList<>();
    private final AtomicLong nanos = new AtomicLong();
    private final SpanLoss loss = new SpanLoss();
    private final ReplicaActivity activity = new ReplicaActivity(nanos::get);
    private SpanReceiver receiver;

    @BeforeEach
    void receiver() {
        receiver = receiver("");
    }

    /** OTL-05, in JSON. */
    @Test
    void spansWithoutValidIdsAreRefusedAndTheRestIsKept() throws IOException {
        ExportTraceServiceRequest.Builder post = ExportTraceServiceRequest.newBuilder();
        OtlpJson.merge("""
                {"resourceSpans":[{"scopeSpans":[{"spans":[
                {"name":"llm_request","traceId":"00000000000000000000000000000000","spanId":"0000000000000000",
                 "startTimeUnixNano":"1","endTimeUnixNano":"2"},
                {"name":"llm_request","traceId":"4bf92f35","spanId":"00f067aa0ba902b7","startTimeUnixNano":"1","endTimeUnixNano":"2"},
                {"name":"llm_request","traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"00f067aa0ba902b7",
                 "startTimeUnixNano":"1000","endTimeUnixNano":"2000"}]}]}]}""".getBytes(UTF_8), post);
        Refused refused = receiver.receive(post.build());

        assertThat(refused).isEqualTo(new Refused(2, "2 without a valid trace and span id"));
        assertThat(Signal.TRACES.jsonAnswer(refused))
                .isEqualTo("{\"partialSuccess\":{\"rejectedSpans\":\"2\","
                        + "\"errorMessage\":\"2 without a valid trace and span id\"}}");
        assertThat(published).hasSize(1);
        assertThat(published.get(0).getTraceId()).isEqualTo("4bf92f3577b34da6a3ce929d0e0e4736");
        assertThat(receiver.fates()).containsEntry(SpanFate.INVALID_ID, 2L).containsEntry(SpanFate.REQUEST, 1L);
    }

    @Test
    void spansWithoutTimesAreRefused() {
        Refused refused = receiver.receive(batch(
                REPLICA,
                vllm(1).setEndTimeUnixNano(0),
                vllm(2).setStartTimeUnixNano(-1),
                vllm(3).setTraceId(ByteString.EMPTY)));
        assertThat(refused)
                .isEqualTo(new Refused(3, "1 without a valid trace and span id, 2 without a valid start and end"));
        assertThat(published).isEmpty();
    }

    @Test
    void aBatchThatIsSentAgainIsNotCountedAgain() {
        ExportTraceServiceRequest batch = batch(REPLICA, vllm(1), vllm(2));
        assertThat(receiver.receive(batch)).isEqualTo(Refused.NOTHING);
        assertThat(receiver.receive(batch)).isEqualTo(Refused.NOTHING);
        assertThat(published).hasSize(2);
        assertThat(receiver.fates()).containsEntry(SpanFate.REQUEST, 2L).containsEntry(SpanFate.REPEAT, 2L);
    }

    @Test
    void spansAboutOtherThingsAreTakenAndLeft() {
        assertThat(receiver.receive(batch(REPLICA, span("Load weights", SpanKind.SPAN_KIND_INTERNAL, 1))))
                .isEqualTo(Refused.NOTHING);
        assertThat(receiver.fates()).containsEntry(SpanFate.OTHER, 1L);
        assertThat(published).isEmpty();
        assertThat(activity.states()).isEmpty();
    }

    @Test
    void sampledRequestsCarryTheirWeightAndOthersAreCounted() {
        SpanReceiver sampling = receiver("""
                rules: {errors: {error: true, keep-one-in: 1}}
                keep-one-in: 4
                """);
        for (int i = 1; i <= 1_000; i++) {
            sampling.receive(batch(
                    REPLICA,
                    vllm(i).setTraceId(Spans.hex("%032x".formatted(i))),
                    span("llm_request", SpanKind.SPAN_KIND_SERVER, 10_000 + i)
                            .setTraceId(Spans.hex("%032x".formatted(i)))
                            .addAttributes(whole("http.response.status_code", 500))));
        }
        Map<SpanFate, Long> fates = sampling.fates();
        long kept =
                published.stream().filter(event -> event.getSampleWeight() == 4).count();
        assertThat(kept).isBetween(200L, 300L);
        assertThat(published.stream().filter(event -> event.getSampleWeight() == 1))
                .hasSize(1_000);
        assertThat(fates)
                .containsEntry(SpanFate.REQUEST, 1_000 + kept)
                .containsEntry(SpanFate.SAMPLED_OUT, 1_000 - kept);
        assertThat(activity.states().get(0).startedTotal()).as("sampled or not").isEqualTo(2_000);
    }

    @Test
    void everyReplicaSeenHasAHeartbeatUntilItIsSilentFor10Minutes() {
        receiver.receive(batch(
                REPLICA,
                vllm(1),
                span("llm_request", SpanKind.SPAN_KIND_SERVER, 2).addAttributes(text("error.type", "cancelled")),
                span("llm_request", SpanKind.SPAN_KIND_SERVER, 3)
                        .addAttributes(text("gen_ai.response.model", "llama"))
                        .addAttributes(whole("http.response.status_code", 500))));
        receiver.receive(batch(resource(text("service.instance.id", "vllm-1")), vllm(4)));
        ReplicaState first = activity.states().stream()
                .filter(state -> state.replica().equals("vllm-0"))
                .findFirst()
                .orElseThrow();
        assertThat(first.completedTotal()).isEqualTo(1);
        assertThat(first.cancelledTotal()).isEqualTo(1);
        assertThat(first.failedTotal()).isEqualTo(1);
        assertThat(first.startedTotal()).isEqualTo(3);
        assertThat(first.placement().model()).isEqualTo("llama");
        assertThat(activity.states()).hasSize(2);

        nanos.addAndGet(Duration.ofMinutes(10).toNanos());
        receiver.receive(batch(REPLICA, vllm(5)));
        nanos.addAndGet(1);
        assertThat(activity.states()).extracting(ReplicaState::replica).containsExactly("vllm-0");
    }

    @Test
    void serverSpansCountForTheEstimateOfLossAndClientSpansDoNot() {
        long minute = Math.floorDiv(Spans.START_NANOS, 60_000_000_000L) * 60_000_000L;
        loss.finished("vllm-0", 0, minute);
        loss.finished("vllm-0", 20, minute + 60_000_000L);
        for (int i = 1; i <= 10; i++) {
            receiver.receive(batch(
                    REPLICA,
                    vllm(i),
                    span("chat", SpanKind.SPAN_KIND_CLIENT, 100 + i)
                            .addAttributes(text("gen_ai.operation.name", "chat"))));
        }
        loss.judge(minute + 120_000_000L);
        assertThat(loss.estimates().get(0).spans()).isEqualTo(10);
        assertThat(loss.estimates().get(0).lostRatio()).isEqualTo(0.5);
    }

    /** A join whose sides are long silent publishes at once. */
    private SpanReceiver receiver(String sampling) {
        AtomicLong joinNanos = new AtomicLong();
        RequestJoin join = new RequestJoin(published::add, Duration.ofSeconds(1), 10_000, joinNanos::get);
        joinNanos.set(Duration.ofHours(1).toNanos());
        Tally<Oddity> oddities = new Tally<>(Oddity.class);
        return new SpanReceiver(
                new SpanReplicas(List.of(), oddities)::of,
                new SpanReader(Spans.identity(directory), oddities),
                Sampling.of(Settings.parse("sampling", sampling)),
                loss,
                activity,
                join);
    }
}
