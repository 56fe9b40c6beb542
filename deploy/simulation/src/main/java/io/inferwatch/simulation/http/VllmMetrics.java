package io.inferwatch.simulation.http;

import io.inferwatch.simulation.engine.EngineSpec;
import io.inferwatch.simulation.engine.EngineState;
import io.inferwatch.simulation.engine.StepWork;
import io.inferwatch.simulation.serving.Ending;
import io.inferwatch.simulation.serving.Guardrail;
import io.inferwatch.simulation.serving.Journey;
import io.inferwatch.simulation.serving.ServerSpec;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The server's {@code /metrics} under the names, labels and buckets of vLLM's V1 engine. As there, times begin with tokenisation, one
 * observation of the inter-token latency is one output event, and a choice of a request counts as a request. Belongs to the timeline's
 * thread.
 */
final class VllmMetrics {
    private static final double[] FIRST_TOKEN = {
        .001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560
    };
    private static final double[] INTER_TOKEN = {
        .01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80
    };
    private static final double[] REQUEST = {
        .3, .5, .8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680
    };
    private static final double[] ITERATION = {1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};

    private final ServerSpec spec;
    private final Histogram firstToken = new Histogram(FIRST_TOKEN);
    private final Histogram interToken = new Histogram(INTER_TOKEN);
    private final Histogram perOutputToken = new Histogram(INTER_TOKEN);
    private final Histogram endToEnd = new Histogram(REQUEST);
    private final Histogram queue = new Histogram(REQUEST);
    private final Histogram inference = new Histogram(REQUEST);
    private final Histogram prefill = new Histogram(REQUEST);
    private final Histogram decode = new Histogram(REQUEST);
    private final Histogram iterationTokens = new Histogram(ITERATION);
    private final Histogram choices = new Histogram(1, 2, 5, 10, 20);
    private final Histogram promptTokens;
    private final Histogram generationTokens;
    private final Histogram maxTokens;
    private final Map<Ending, Long> endings = new EnumMap<>(Ending.class);

    VllmMetrics(ServerSpec spec) {
        this.spec = spec;
        promptTokens = Histogram.oneTwoFive(spec.engine().maxContextTokens());
        generationTokens = Histogram.oneTwoFive(spec.engine().maxContextTokens());
        maxTokens = Histogram.oneTwoFive(spec.engine().maxContextTokens());
        for (Ending ending : Ending.values()) {
            endings.put(ending, 0L);
        }
    }

    void step(StepWork work) {
        iterationTokens.add((double) (work.prefillTokens() + work.decodeSequences()));
    }

    void request(int choiceCount, int tokenLimit) {
        choices.add(choiceCount);
        maxTokens.add(tokenLimit);
    }

    void ended(Journey journey) {
        endings.merge(journey.ending(), 1L, Long::sum);
        List<Long> tokens = journey.tokenNanos();
        for (int i = 1; i < tokens.size(); i++) {
            interToken.add((tokens.get(i) - tokens.get(i - 1)) / 1e9);
        }
        long beginNanos = journey.arrivedNanos()
                + journey.gatewayNanos()
                + journey.authenticationNanos()
                + journey.guardrail().map(Guardrail.Check::waitedNanos).orElse(0L);
        journey.firstTokenNanos().ifPresent(first -> firstToken.add((first - beginNanos) / 1e9));
        journey.queueNanos().ifPresent(nanos -> queue.add(nanos / 1e9));
        if (!journey.isComplete()) {
            return;
        }
        promptTokens.add(journey.promptTokens());
        generationTokens.add(tokens.size());
        long lastNanos = journey.lastTokenNanos().orElseThrow();
        endToEnd.add((lastNanos - beginNanos) / 1e9);
        inference.add((lastNanos - journey.scheduledNanos().orElseThrow()) / 1e9);
        prefill.add(journey.prefillNanos().orElseThrow() / 1e9);
        decode.add(journey.decodeNanos().orElseThrow() / 1e9);
        if (tokens.size() > 1) {
            perOutputToken.add(journey.decodeNanos().orElseThrow() / 1e9 / (tokens.size() - 1));
        }
    }

    /**
     * The page.
     *
     * @param more adds what is not vLLM's
     */
    String page(EngineState engine, Consumer<ExpositionText> more) {
        ExpositionText page = new ExpositionText("engine=\"0\",model_name=\"" + spec.model() + "\"");
        gauge(page, "vllm:num_requests_running", "sequences in the batch.", engine.running());
        gauge(page, "vllm:num_requests_waiting", "sequences in the queue.", engine.waiting());
        page.family("vllm:num_requests_waiting_by_reason", "gauge", "sequences in the queue, by reason.");
        page.sample("vllm:num_requests_waiting_by_reason", "reason=\"capacity\"", engine.waiting());
        page.sample("vllm:num_requests_waiting_by_reason", "reason=\"deferred\"", 0);
        gauge(page, "vllm:kv_cache_usage_perc", "share of the KV cache in use, from 0 to 1.", engine.kvUsage());
        page.counter("vllm:prefix_cache_queries_total", "prompt tokens looked up.", engine.promptTokens());
        page.counter("vllm:prefix_cache_hits_total", "prompt tokens found.", engine.cachedTokens());
        page.counter("vllm:num_preemptions_total", "preemptions.", engine.preemptions());
        page.counter("vllm:prompt_tokens_total", "prompt tokens.", engine.promptTokens());
        page.counter("vllm:generation_tokens_total", "generated tokens.", engine.outputTokens());
        page.family("vllm:prompt_tokens_by_source_total", "counter", "prompt tokens by source.");
        page.sample(
                "vllm:prompt_tokens_by_source_total",
                "source=\"local_compute\"",
                engine.promptTokens() - engine.cachedTokens());
        page.sample("vllm:prompt_tokens_by_source_total", "source=\"local_cache_hit\"", engine.cachedTokens());
        page.sample("vllm:prompt_tokens_by_source_total", "source=\"external_kv_transfer\"", 0);
        page.counter("vllm:prompt_tokens_cached_total", "prompt tokens found in a cache.", engine.cachedTokens());
        page.family("vllm:request_success_total", "counter", "ended requests by reason.");
        finished(page, "stop", Ending.STOP);
        finished(page, "length", Ending.LENGTH);
        finished(page, "abort", Ending.CANCELLED);
        page.histogram("vllm:iteration_tokens_total", "tokens of a step.", iterationTokens);
        page.histogram("vllm:time_to_first_token_seconds", "time to first token.", firstToken);
        page.histogram("vllm:inter_token_latency_seconds", "time between output events.", interToken);
        page.histogram("vllm:request_time_per_output_token_seconds", "mean time per token.", perOutputToken);
        page.histogram("vllm:e2e_request_latency_seconds", "time of a request.", endToEnd);
        page.histogram("vllm:request_queue_time_seconds", "time in the queue.", queue);
        page.histogram("vllm:request_inference_time_seconds", "time in the batch.", inference);
        page.histogram("vllm:request_prefill_time_seconds", "time of prefill.", prefill);
        page.histogram("vllm:request_decode_time_seconds", "time of decode.", decode);
        page.histogram("vllm:request_prompt_tokens", "tokens of a prompt.", promptTokens);
        page.histogram("vllm:request_generation_tokens", "tokens of an answer.", generationTokens);
        page.histogram("vllm:request_params_n", "choices of a request.", choices);
        page.histogram("vllm:request_params_max_tokens", "limit of an answer.", maxTokens);
        cacheConfiguration(page);
        more.accept(page);
        return page.toString();
    }

    private void finished(ExpositionText page, String reason, Ending ending) {
        page.sample(
                "vllm:request_success_total", "finished_reason=\"" + reason + "\"", endings.getOrDefault(ending, 0L));
    }

    private void cacheConfiguration(ExpositionText page) {
        EngineSpec engine = spec.engine();
        page.family("vllm:cache_config_info", "gauge", "the KV cache.");
        page.sample(
                "vllm:cache_config_info",
                "block_size=\"%d\",num_gpu_blocks=\"%d\",cache_dtype=\"auto\",enable_prefix_caching=\"%s\",gpu_memory_utilization=\"0.9\""
                        .formatted(engine.blockTokens(), engine.blocks(), engine.prefixCaching() ? "True" : "False"),
                1);
    }

    private static void gauge(ExpositionText page, String name, String help, double value) {
        page.family(name, "gauge", help);
        page.sample(name, "", value);
    }
}
