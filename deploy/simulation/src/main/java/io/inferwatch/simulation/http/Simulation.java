package io.inferwatch.simulation.http;

import io.inferwatch.simulation.engine.Prompt;
import io.inferwatch.simulation.memory.DeviceState;
import io.inferwatch.simulation.serving.Beginning;
import io.inferwatch.simulation.serving.Fault;
import io.inferwatch.simulation.serving.Journey;
import io.inferwatch.simulation.serving.ResponseListener;
import io.inferwatch.simulation.serving.ServerSpec;
import io.inferwatch.simulation.serving.SimulatedRequest;
import io.inferwatch.simulation.serving.SimulatedServer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/** The one server behind the interface, reached from any thread; all that happens in it does so on its timeline's thread. */
final class Simulation implements AutoCloseable {
    private final SimulationSettings settings;
    private final ServerSpec spec;
    private final RealTime time = new RealTime();
    private final VllmMetrics metrics;
    private final SimulatedServer server;
    private final Records records;
    private final AtomicLong requests = new AtomicLong();

    /**
     * Begins at once.
     *
     * @param records told of every request that is over, on its connection's thread
     */
    Simulation(SimulationSettings settings, Records records) {
        this.settings = settings;
        this.spec = settings.server();
        this.metrics = new VllmMetrics(spec);
        this.server = new SimulatedServer(spec, time.timeline(), metrics::step);
        this.records = records;
        time.start();
    }

    ServerSpec spec() {
        return spec;
    }

    /** Answers a request over its connection, whose thread is the executor's. */
    Generation begin(GenerationRequest request, RequestHeaders headers, Connection connection, Executor thread) {
        long number = requests.getAndIncrement();
        SplittableRandom random = new SplittableRandom(spec.seed() * 7_919 + number);
        String id = "%s%016x".formatted(request.api().idPrefix(), random.nextLong());
        Prompt prompt = Prompt.ofText(request.prompt(), spec.engine().blockTokens());
        int limit = request.maxTokens().orElse(Math.max(1, spec.engine().maxContextTokens() - prompt.tokens()));
        // One more than the limit, so that the limit ends it.
        int answerTokens = request.ignoresEnd()
                ? (int) Math.min(Integer.MAX_VALUE, limit + 1L)
                : Math.max(1, (int) Math.round(settings.answer().next(random)));
        Bodies bodies = new Bodies(request.api(), id, spec.model(), headers.atMicros() / 1_000_000, request.tool());
        Answer answer = request.isStreamed()
                ? new StreamedAnswer(connection, request, bodies, prompt.tokens())
                : new WholeAnswer(connection, bodies);
        List<Runnable> cancels = new ArrayList<>();
        Generation generation = new Generation(
                id,
                request,
                headers,
                answer,
                new Words(random.nextLong()),
                Math.min(answerTokens, limit),
                () -> time.run(() -> cancels.forEach(Runnable::run)),
                records::add);
        time.run(() -> {
            metrics.request(request.choices(), limit);
            for (int choice = 0; choice < request.choices(); choice++) {
                SimulatedRequest part = new SimulatedRequest(id + "-" + choice, prompt, answerTokens, limit);
                cancels.add(server.submit(part, listener(generation, choice, thread)));
            }
        });
        return generation;
    }

    /** The metrics page of this moment. */
    CompletableFuture<String> metricsPage() {
        CompletableFuture<String> page = new CompletableFuture<>();
        time.run(() -> page.complete(metrics.page(server.engine(), this::describe)));
        return page;
    }

    /** A DCGM exporter's page of the device at this moment. */
    CompletableFuture<String> gpuMetricsPage() {
        return device().thenApply(state -> GpuMetrics.page(spec, state));
    }

    /** The memory of the device at this moment. */
    CompletableFuture<DeviceState> device() {
        CompletableFuture<DeviceState> state = new CompletableFuture<>();
        time.run(() -> state.complete(server.device()));
        return state;
    }

    /** The version that runs now. */
    CompletableFuture<String> version() {
        CompletableFuture<String> version = new CompletableFuture<>();
        time.run(() -> version.complete(server.version()));
        return version;
    }

    /** Switches faults on (with a severity) and off (with none), all at one moment; gives all that are on then. */
    CompletableFuture<Map<Fault, Double>> change(Map<Fault, Double> on, List<Fault> off) {
        CompletableFuture<Map<Fault, Double>> changed = new CompletableFuture<>();
        time.run(() -> {
            on.forEach(server::switchOn);
            off.forEach(server::switchOff);
            Map<Fault, Double> present = new EnumMap<>(Fault.class);
            present.putAll(server.faults());
            changed.complete(present);
        });
        return changed;
    }

    @Override
    public void close() {
        time.close();
    }

    private void describe(ExpositionText page) {
        page.histogram("inferwatch_simulation_lateness_seconds", "by how much the schedule was late.", time.lateness());
        records.describe(page);
    }

    private ResponseListener listener(Generation generation, int choice, Executor thread) {
        return new ResponseListener() {
            @Override
            public void onBegin(Beginning beginning) {
                thread.execute(() -> generation.begin(beginning));
            }

            @Override
            public void onToken(int index) {
                thread.execute(() -> generation.token(choice, index));
            }

            @Override
            public void onEnd(Journey journey) {
                metrics.ended(journey);
                thread.execute(() -> generation.end(choice, journey));
            }
        };
    }
}
