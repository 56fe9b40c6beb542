package io.inferwatch.simulation.fleet;

import static io.inferwatch.simulation.serving.Guardrail.BYPASS;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.schemas.Endpoint;
import io.inferwatch.schemas.Guardrail;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Source;
import io.inferwatch.schemas.TokenSource;
import io.inferwatch.schemas.Traffic;
import io.inferwatch.simulation.engine.Prompt;
import io.inferwatch.simulation.engine.Timeline;
import io.inferwatch.simulation.serving.Ending;
import io.inferwatch.simulation.serving.Guardrail.Check;
import io.inferwatch.simulation.serving.Journey;
import io.inferwatch.simulation.serving.ResponseListener;
import io.inferwatch.simulation.serving.ServerSpec;
import io.inferwatch.simulation.serving.SimulatedRequest;
import io.inferwatch.simulation.serving.SimulatedServer;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A server and the probe beside it: every request that ends becomes one event, numbered without gaps, and is in the heartbeats while it is
 * open. The client's times are the server's: the network takes none. A client goes away when it has waited for its answer for two minutes.
 */
final class WatchedReplica {
    static final long HEARTBEAT_NANOS = 5_000_000_000L;

    private static final long PATIENCE_NANOS = 120_000_000_000L;
    private static final String MARK = "simulated";

    private final SimulatedServer server;
    private final Timeline timeline;
    private final String stream;
    private final long startMicros;
    private final FleetSink sink;
    private final ReplicaSamples samples;
    private final Set<Open> open = new LinkedHashSet<>();
    private long sequence;
    private long completed;
    private long failed;
    private long cancelled;

    WatchedReplica(SimulatedServer server, Timeline timeline, String instance, long startMicros, FleetSink sink) {
        this.server = server;
        this.timeline = timeline;
        this.stream = instance + "/" + server.spec().replica();
        this.startMicros = startMicros;
        this.sink = sink;
        this.samples = new ReplicaSamples(server, instance);
    }

    SimulatedServer server() {
        return server;
    }

    void submit(Arrival arrival) {
        Open request = new Open(arrival, timeline.nowNanos());
        open.add(request);
        String id = "sim-%s-%d".formatted(server.spec().replica(), server.started());
        Prompt prompt = Prompt.ofParts(arrival.prompt(), server.spec().engine().blockTokens());
        Runnable cancel =
                server.submit(new SimulatedRequest(id, prompt, arrival.answerTokens(), arrival.maxTokens()), request);
        timeline.after(PATIENCE_NANOS, cancel);
    }

    void heartbeat() {
        long nowMicros = micros(timeline.nowNanos());
        ServerSpec spec = server.spec();
        sink.accept(Heartbeat.newBuilder()
                .setStream(stream)
                .setNextSequence(sequence)
                .setEventTimeMicros(nowMicros)
                .setEmittedAtMicros(nowMicros)
                .setReplica(spec.replica())
                .setNode(spec.node())
                .setRegion(spec.region())
                .setPool(spec.pool())
                .setModel(spec.model())
                .setVersion(server.version())
                // Its clock is the simulation's, which must not be taken for a host's that is off.
                .setSource(Source.REPLAY)
                .setIntervalMicros(HEARTBEAT_NANOS / 1_000)
                .setOpenRequests(open.size())
                .setAwaitingFirstToken(
                        open.stream().filter(request -> !request.hasToken).count())
                .setOldestOpenMicros(oldestOpenMicros())
                .setStartedTotal(server.started())
                .setCompletedTotal(completed)
                .setFailedTotal(failed)
                .setCancelledTotal(cancelled)
                .build());
    }

    void sample() {
        samples.tell(micros(timeline.nowNanos()), sink);
    }

    private @Nullable Long oldestOpenMicros() {
        return open.isEmpty() ? null : (timeline.nowNanos() - open.iterator().next().arrivedNanos) / 1_000;
    }

    private long micros(long nanos) {
        return startMicros + nanos / 1_000;
    }

    /** A request that has not ended. */
    private final class Open implements ResponseListener {
        private final Arrival arrival;
        private final long arrivedNanos;
        private boolean hasToken;

        Open(Arrival arrival, long arrivedNanos) {
            this.arrival = arrival;
            this.arrivedNanos = arrivedNanos;
        }

        @Override
        public void onToken(int index) {
            hasToken = true;
        }

        @Override
        public void onEnd(Journey journey) {
            open.remove(this);
            switch (journey.ending()) {
                case STOP, LENGTH -> completed++;
                case CANCELLED -> cancelled++;
                case ERROR, INBAND_ERROR, REJECTED -> failed++;
            }
            sink.accept(event(arrival, journey));
        }
    }

    private RequestEvent event(Arrival arrival, Journey journey) {
        ServerSpec spec = server.spec();
        int tokens = journey.tokenNanos().size();
        Long ttft = sinceArrival(journey, journey.firstTokenNanos());
        Long last = sinceArrival(journey, journey.lastTokenNanos());
        Check check = journey.guardrail().orElse(null);
        long whole = (journey.endedNanos() - journey.arrivedNanos()) / 1_000;
        return RequestEvent.newBuilder()
                .setStream(stream)
                .setSequence(sequence++)
                .setCompletedAtMicros(micros(journey.endedNanos()))
                .setStartedAtMicros(micros(journey.arrivedNanos()))
                .setTraffic(Traffic.PRODUCTION)
                .setOutcome(outcome(journey.ending()))
                .setReplica(spec.replica())
                .setNode(spec.node())
                .setRegion(spec.region())
                .setPool(spec.pool())
                .setModel(spec.model())
                .setVersion(journey.version())
                .setTenant(arrival.tenant())
                .setSession(arrival.session())
                .setTurn(arrival.turn().isPresent() ? arrival.turn().getAsInt() : null)
                .setTemplate(arrival.template().orElse(null))
                .setWorkloadClass(arrival.workloadClass().orElse(null))
                .setTtftMicros(ttft)
                .setTtfbMicros(ttft)
                .setTtfoMicros(ttft)
                .setTtfdMicros(ttft)
                .setTpotNanos(
                        tokens > 1 && journey.isComplete()
                                ? (Long) (journey.decodeNanos().orElseThrow() / (tokens - 1))
                                : null)
                .setE2eMicros(last == null ? (Long) whole : last)
                .setStreamEndMicros(whole)
                .setClientClosedMicros(journey.ending() == Ending.CANCELLED ? (Long) whole : null)
                .setQueueMicros(micros(journey.queueNanos()))
                .setPrefillMicros(micros(journey.prefillNanos()))
                .setDecodeMicros(micros(journey.decodeNanos()))
                .setGatewayMicros(journey.gatewayNanos() / 1_000)
                .setAuthenticationMicros(journey.authenticationNanos() / 1_000)
                .setTokenizeMicros(journey.tokenizeNanos() / 1_000)
                .setPostprocessMicros(journey.isComplete() ? (Long) (journey.postprocessNanos() / 1_000) : null)
                .setGuardrails(guardrails(spec, journey))
                .setGuardrailChecks(check == null ? null : (Integer) 1)
                .setGuardrailBypasses(
                        check == null ? null : (Integer) (check.verdict().equals(BYPASS) ? 1 : 0))
                .setGuardrailMicros(check == null ? null : (Long) (check.waitedNanos() / 1_000))
                .setGuardrailMode(check == null ? null : check.mode().text())
                .setPromptTokens((long) journey.promptTokens())
                .setCachedTokens(journey.scheduledNanos().isPresent() ? (Long) (long) journey.cachedTokens() : null)
                .setOutputTokens(tokens == 0 ? null : (Long) (long) tokens)
                .setPreemptions(journey.preemptions())
                .setItlSketch(gaps(journey))
                .setMaxStallMicros(longestGapMicros(journey))
                .setChunks((long) tokens)
                .setTokenChunks((long) tokens)
                .setFirstChunkTokens(tokens == 0 ? null : (Long) 1L)
                .setTokenSource(TokenSource.USAGE)
                .setEndpoint(Endpoint.CHAT)
                .setStreaming(true)
                .setHttpStatus(status(journey.ending()))
                .setFinishReason(journey.isComplete() ? (journey.ending() == Ending.STOP ? "stop" : "length") : null)
                .setEngine("simulated")
                .setEngineRequestId(journey.id())
                .setMaxContextTokens((long) spec.engine().maxContextTokens())
                .setSource(Source.PROXY)
                .setMarks(List.of(MARK))
                .build();
    }

    private static List<Guardrail> guardrails(ServerSpec spec, Journey journey) {
        return journey.guardrail().stream()
                .map(check -> Guardrail.newBuilder()
                        .setName("prompt-check")
                        .setPhase(spec.guardrail().text())
                        .setDurationMicros(check.waitedNanos() / 1_000)
                        .setVerdict(check.verdict())
                        .build())
                .toList();
    }

    private static @Nullable ByteBuffer gaps(Journey journey) {
        List<Long> tokens = journey.tokenNanos();
        if (tokens.size() < 2) {
            return null;
        }
        QuantileSketch sketch = new QuantileSketch();
        for (int i = 1; i < tokens.size(); i++) {
            sketch.add(tokens.get(i) - tokens.get(i - 1));
        }
        return ByteBuffer.wrap(SketchEncoding.encode(sketch));
    }

    private static @Nullable Long longestGapMicros(Journey journey) {
        List<Long> tokens = journey.tokenNanos();
        long longest = -1;
        for (int i = 1; i < tokens.size(); i++) {
            longest = Math.max(longest, tokens.get(i) - tokens.get(i - 1));
        }
        return longest < 0 ? null : longest / 1_000;
    }

    private static @Nullable Long sinceArrival(Journey journey, OptionalLong nanos) {
        return nanos.isEmpty() ? null : (nanos.getAsLong() - journey.arrivedNanos()) / 1_000;
    }

    private static @Nullable Long micros(OptionalLong nanos) {
        return nanos.isEmpty() ? null : nanos.getAsLong() / 1_000;
    }

    private static Outcome outcome(Ending ending) {
        return switch (ending) {
            case STOP -> Outcome.OK;
            case LENGTH -> Outcome.LENGTH;
            case ERROR, REJECTED -> Outcome.HTTP_ERROR;
            case INBAND_ERROR -> Outcome.INBAND_ERROR;
            case CANCELLED -> Outcome.CLIENT_CANCEL;
        };
    }

    private static int status(Ending ending) {
        return switch (ending) {
            case ERROR -> 500;
            case REJECTED -> 400;
            default -> 200;
        };
    }
}
