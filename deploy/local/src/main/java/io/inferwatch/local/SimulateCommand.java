package io.inferwatch.local;

import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.simulation.engine.EngineSpec;
import io.inferwatch.simulation.http.SimulationServer;
import io.inferwatch.simulation.http.SimulationSettings;
import io.inferwatch.simulation.serving.Fault;
import io.inferwatch.simulation.serving.Guardrail;
import io.inferwatch.simulation.serving.Lognormal;
import io.inferwatch.simulation.serving.ServerSpec;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code inferwatch simulate}: a simulated inference server in the foreground, until Ctrl-C. */
@Command(
        name = "simulate",
        mixinStandardHelpOptions = true,
        description =
                "Runs a simulated inference server to watch: OpenAI-compatible, with vLLM's metrics and spans. No GPU,"
                        + " no model: its answers are words without meaning, their times those of a model of an engine.",
        footer = {
            "Faults are switched while it runs, from this host alone:",
            "  curl -d '{\"slow-node\": 3, \"kv-pressure\": true, \"error-burst\": null}' URL/simulation/faults"
        })
final class SimulateCommand implements Callable<Integer> {
    private static final int MOST_BLOCKS = 10_000_000;
    private static final String NAME = "[\\w.:/@+-]{1,128}";

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--host",
            defaultValue = "127.0.0.1",
            description = "Address on which it listens. Default: ${DEFAULT-VALUE}.")
    private String host = "";

    @Option(
            names = "--port",
            defaultValue = "8000",
            description = "Port on which it listens; 0 is a free one. Default: ${DEFAULT-VALUE}.")
    private int port;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Of all its chance: the same seed and requests give the same answers. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(
            names = "--model",
            paramLabel = "NAME",
            defaultValue = "simulated-llama-3.1-8b",
            description = "Model that it serves. Default: ${DEFAULT-VALUE}.")
    private String model = "";

    @Option(
            names = "--replica",
            paramLabel = "NAME",
            defaultValue = "replica-0",
            description = "Its stable name. Default: ${DEFAULT-VALUE}.")
    private String replica = "";

    @Option(
            names = "--node",
            paramLabel = "NAME",
            defaultValue = "node-0",
            description = "Host that it says it runs on. Default: ${DEFAULT-VALUE}.")
    private String node = "";

    @Option(
            names = "--deployed-version",
            paramLabel = "NAME",
            defaultValue = "v1",
            description = "Version that it says it runs. Default: ${DEFAULT-VALUE}.")
    private String version = "";

    @Option(
            names = "--guardrail",
            paramLabel = "none|inline|sidecar",
            defaultValue = "none",
            converter = GuardrailConverter.class,
            description = "How prompts are checked; a sidecar is waited for 80 ms. Default: ${DEFAULT-VALUE}.")
    private Guardrail guardrail = Guardrail.NONE;

    @Option(
            names = "--kv-blocks",
            paramLabel = "N",
            defaultValue = "25600",
            description = "Blocks of 16 tokens in the KV cache. Default: ${DEFAULT-VALUE}.")
    private int kvBlocks;

    @Option(
            names = "--token-budget",
            paramLabel = "N",
            defaultValue = "2048",
            description = "Most tokens a step. Default: ${DEFAULT-VALUE}.")
    private int tokenBudget;

    @Option(
            names = "--max-sequences",
            paramLabel = "N",
            defaultValue = "256",
            description = "Most requests that run at once. Default: ${DEFAULT-VALUE}.")
    private int maxSequences;

    @Option(
            names = "--answer-tokens",
            paramLabel = "N",
            defaultValue = "130",
            description = "Median length of answers; lognormal, sigma 0.7. Default: ${DEFAULT-VALUE}.")
    private double answerTokens;

    @Option(
            names = "--fault",
            paramLabel = "NAME=SEVERITY",
            description = "A fault that is on from the start, e.g. slow-node=3. May be given several times.")
    private Map<String, Double> faults = Map.of();

    @Option(
            names = "--timing-log",
            paramLabel = "FILE",
            description = "Where its own times of every request are written, as JSON lines.")
    private @Nullable Path timingLog;

    @Option(
            names = "--otlp-endpoint",
            paramLabel = "URL",
            description =
                    "Where a span of every request is sent, as OTLP over HTTP, e.g. http://127.0.0.1:4318/v1/traces.")
    private @Nullable URI otlpEndpoint;

    @Override
    public Integer call() throws InterruptedException {
        SimulationSettings settings = settings();
        Map<Fault, Double> initial = initialFaults();
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        SimulationServer server = SimulationServer.start(settings);
        Runtime.getRuntime().addShutdownHook(new Thread(server::close, "stop"));
        initial.forEach(server::switchOn);
        out.println("simulated server of " + model + " at " + server.url() + ", until Ctrl-C");
        out.println(
                "  ask      curl -N -d '{\"messages\": [{\"role\": \"user\", \"content\": \"hi\"}], \"stream\": true}' "
                        + server.url() + "/v1/chat/completions");
        out.println("  metrics  curl " + server.url() + "/metrics");
        out.println("  faults   curl -d '{\"slow-node\": 3}' " + server.url() + "/simulation/faults");
        out.flush();
        new CountDownLatch(1).await();
        return 0;
    }

    /** All that is wrong is said at once. */
    private SimulationSettings settings() {
        List<String> problems = new ArrayList<>();
        within(problems, "--port", 0, 65_535, port);
        within(problems, "--kv-blocks", 1, MOST_BLOCKS, kvBlocks);
        within(problems, "--token-budget", 1, 1_000_000, tokenBudget);
        within(problems, "--max-sequences", 1, 100_000, maxSequences);
        if (!(answerTokens >= 1 && answerTokens <= 100_000)) {
            problems.add("--answer-tokens: must be from 1 to 100000, found " + answerTokens);
        }
        name(problems, "--model", model);
        name(problems, "--replica", replica);
        name(problems, "--node", node);
        name(problems, "--deployed-version", version);
        faults.forEach((text, severity) -> fault(problems, text, severity));
        if (otlpEndpoint != null && !isHttp(otlpEndpoint)) {
            problems.add("--otlp-endpoint: must be an http or https URL, found " + otlpEndpoint);
        }
        if (!problems.isEmpty()) {
            throw new InvalidSettingsException("simulated server", problems);
        }
        ServerSpec usual = ServerSpec.usual(0, seed);
        ServerSpec server = new ServerSpec(
                replica,
                node,
                usual.region(),
                usual.pool(),
                model,
                version,
                version + "-next",
                EngineSpec.llama8bOnA100().withBlocks(kvBlocks).withLimits(tokenBudget, maxSequences),
                usual.stages(),
                guardrail,
                seed);
        return new SimulationSettings(
                server,
                host,
                port,
                new Lognormal(answerTokens, 0.7),
                Optional.ofNullable(timingLog),
                Optional.ofNullable(otlpEndpoint));
    }

    private Map<Fault, Double> initialFaults() {
        Map<Fault, Double> initial = new EnumMap<>(Fault.class);
        faults.forEach((text, severity) -> initial.put(Fault.of(text).orElseThrow(), severity));
        return initial;
    }

    private static void fault(List<String> problems, String text, double severity) {
        Optional<Fault> fault = Fault.of(text);
        if (fault.isEmpty()) {
            problems.add("--fault: must be one of "
                    + Arrays.stream(Fault.values()).map(Fault::text).collect(Collectors.joining(", ")) + ", found "
                    + text);
            return;
        }
        try {
            fault.get().check(severity);
        } catch (IllegalArgumentException e) {
            problems.add("--fault: " + e.getMessage());
        }
    }

    private static void within(List<String> problems, String key, int least, int most, int found) {
        if (found < least || found > most) {
            problems.add("%s: must be from %d to %d, found %d".formatted(key, least, most, found));
        }
    }

    private static void name(List<String> problems, String key, String found) {
        if (!found.matches(NAME)) {
            problems.add(key + ": must be a word without blanks and quotes, found '" + found + "'");
        }
    }

    private static boolean isHttp(URI uri) {
        return uri.getHost() != null && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()));
    }

    static final class GuardrailConverter implements ITypeConverter<Guardrail> {
        @Override
        public Guardrail convert(String text) {
            return Arrays.stream(Guardrail.values())
                    .filter(guardrail -> guardrail.text().equals(text))
                    .findFirst()
                    .orElseThrow(
                            () -> new TypeConversionException("must be none, inline or sidecar, found '" + text + "'"));
        }
    }
}
