package io.inferwatch.probes.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.schemas.settings.Settings;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The running pods of a namespace with certain labels, asked of Kubernetes' API as the pod's own service account: reading one list is all that is asked for.
 * A pod's replica is its label {@code replica-label} where that is set and there, else its name; node, pod, and by labels of the pod pool, region, model and
 * version are said with its samples.
 */
final class KubernetesTargets implements TargetSource {
    private static final Path ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration DEFAULT_EVERY = Duration.ofSeconds(15);
    private static final JsonMapper JSON = JsonMapper.builder().build();
    /** Environment of an identity, by the label of a pod that says it, as Kubernetes recommends or as this project does. */
    private static final Map<String, String> LABELS = new TreeMap<>(Map.of(
            "app.kubernetes.io/version", "INFERWATCH_VERSION",
            "topology.kubernetes.io/region", "INFERWATCH_REGION",
            "inferwatch.io/region", "INFERWATCH_REGION",
            "inferwatch.io/pool", "INFERWATCH_POOL",
            "inferwatch.io/model", "INFERWATCH_MODEL",
            "inferwatch.io/version", "INFERWATCH_VERSION",
            "app.kubernetes.io/name", "INFERWATCH_SERVICE"));

    private final URI list;
    private final Optional<Path> token;
    private final String scheme;
    private final long port;
    private final String path;
    private final String replicaLabel;
    private final TargetTls tls;
    private final Duration every;
    private final HttpClient client;

    private KubernetesTargets(Settings section, URI list, Optional<Path> token, TargetTls tls) {
        this.list = list;
        this.token = token;
        this.tls = TargetTls.SYSTEM;
        scheme = section.flag("https", false) ? "https" : "http";
        port = section.integer("port", 1, 65_535);
        path = section.text("path", "/metrics");
        replicaLabel = section.text("replica-label", "");
        every = Objects.requireNonNullElse(
                section.duration("every", Duration.ofSeconds(1), Duration.ofDays(1), DEFAULT_EVERY), DEFAULT_EVERY);
        HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(TIMEOUT);
        client = (tls.equals(TargetTls.SYSTEM)
                        ? builder
                        : builder.sslContext(tls.context().context()))
                .build();
    }

    /** Reads the section; what it leaves open is the service account's. Problems are the section's. */
    static KubernetesTargets of(Settings section) {
        Path ca = ACCOUNT.resolve("ca.crt");
        Path accountToken = ACCOUNT.resolve("token");
        String server = section.text("server", "https://kubernetes.default.svc");
        String namespace = section.text("namespace", ownNamespace());
        String selector = section.text("selector");
        Optional<Path> token = TargetTls.path(section, "token-file")
                .or(() -> Optional.of(accountToken).filter(Files::isReadable));
        TargetTls tls = TargetTls.of(section);
        if (tls.equals(TargetTls.SYSTEM) && Files.isReadable(ca)) {
            tls = new TargetTls(Optional.of(ca), Optional.empty(), Optional.empty());
        }
        URI list = TargetReader.url(server + "/api/v1/namespaces/" + namespace + "/pods?labelSelector="
                + URLEncoder.encode(selector, StandardCharsets.UTF_8));
        if (list == null) {
            section.problem("server", "http://HOST:PORT or https://HOST:PORT", "'" + server + "'");
            list = URI.create("http://localhost");
        }
        return new KubernetesTargets(section, list, token, tls);
    }

    @Override
    public String name() {
        return "kubernetes";
    }

    @Override
    public Duration every() {
        return every;
    }

    @Override
    public List<Target> targets() throws TargetSourceException {
        List<Target> targets = new ArrayList<>();
        for (JsonNode pod : pods().path("items")) {
            String address = pod.path("status").path("podIP").asText("");
            boolean isRunning = pod.path("status").path("phase").asText("").equals("Running")
                    && !pod.path("metadata").has("deletionTimestamp");
            if (isRunning && !address.isEmpty()) {
                targets.add(target(pod, address));
            }
        }
        return targets;
    }

    private JsonNode pods() throws TargetSourceException {
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(list).timeout(TIMEOUT);
            if (token.isPresent()) {
                request.header(
                        "Authorization",
                        "Bearer " + Files.readString(token.get()).trim());
            }
            HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw new TargetSourceException("the API answers with status " + response.statusCode());
            }
            return JSON.readTree(response.body());
        } catch (IOException e) {
            throw new TargetSourceException("the API does not answer: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TargetSourceException("interrupted");
        }
    }

    private Target target(JsonNode pod, String address) {
        JsonNode labels = pod.path("metadata").path("labels");
        String name = pod.path("metadata").path("name").asText("");
        Map<String, String> known = new HashMap<>();
        LABELS.forEach((label, variable) -> {
            if (labels.has(label)) {
                known.put(variable, labels.path(label).asText());
            }
        });
        known.put("POD_NAME", name);
        known.put("NODE_NAME", pod.path("spec").path("nodeName").asText(""));
        String replica =
                replicaLabel.isEmpty() ? name : labels.path(replicaLabel).asText(name);
        known.put("INFERWATCH_REPLICA", replica);
        String host = address.contains(":") ? "[" + address + "]" : address;
        return new Target(
                URI.create(scheme + "://" + host + ":" + port + path),
                ReplicaIdentity.of(Settings.parse("pod", ""), known),
                Optional.empty(),
                tls);
    }

    private static String ownNamespace() {
        try {
            return Files.readString(ACCOUNT.resolve("namespace")).trim();
        } catch (IOException e) {
            return "default";
        }
    }
}
