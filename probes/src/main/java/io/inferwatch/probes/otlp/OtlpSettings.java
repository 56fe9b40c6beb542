package io.inferwatch.probes.otlp;

import io.inferwatch.probes.admin.ListenAddress;
import io.inferwatch.probes.engine.EngineSettings;
import io.inferwatch.probes.identity.IdentityRules;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.probes.tls.ServerTls;
import io.inferwatch.schemas.settings.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * How the OTLP probe works.
 *
 * @param http where OTLP/HTTP is taken
 * @param grpc where OTLP/gRPC is taken
 * @param tls how senders reach both; empty for plain text
 * @param tokenFile what senders must know, if anything
 * @param only the one replica whose spans come here, as in the proxy's process; otherwise their resources say which
 * @param engines whose own counters are read beside their spans, if any
 * @param joinPatience how long one side of a request waits for the other
 * @param joinCapacity how many requests may wait
 */
public record OtlpSettings(
        ListenAddress http,
        ListenAddress grpc,
        Optional<ServerTls> tls,
        Optional<Path> tokenFile,
        IdentityRules identity,
        Optional<ReplicaIdentity> only,
        List<SpanReplicas.Rule> replicas,
        Sampling sampling,
        Optional<EngineSettings> engines,
        Duration joinPatience,
        int joinCapacity) {
    private static final Duration DEFAULT_PATIENCE = Duration.ofSeconds(10);
    private static final int DEFAULT_CAPACITY = 50_000;
    private static final int MAX_CAPACITY = 1_000_000;

    /** Takes every span as the proxy's replica's, by the settings' section {@code otlp}. Problems are the section's. */
    public static OtlpSettings inProxy(Settings section, IdentityRules identity, ReplicaIdentity replica) {
        String tokenFile = section.text("token-file", "");
        Settings join = section.section("join");
        return new OtlpSettings(
                address(section, "http-listen", "4318"),
                address(section, "grpc-listen", "4317"),
                ServerTls.of(section, "tls"),
                tokenFile.isEmpty() ? Optional.empty() : Optional.of(Path.of(tokenFile)),
                identity,
                Optional.of(replica),
                List.of(),
                Sampling.NONE,
                section.has("engine")
                        ? Optional.of(EngineSettings.within(section.section("engine"), replica))
                        : Optional.empty(),
                patience(join),
                capacity(join));
    }

    /** Reads the sections {@code tls}, {@code replicas}, {@code sampling}, {@code join} and {@code engine} of a settings file. Problems are the sections'. */
    public static OtlpSettings of(
            Settings root, ListenAddress http, ListenAddress grpc, Optional<Path> tokenFile, IdentityRules identity) {
        Settings join = root.section("join");
        return new OtlpSettings(
                http,
                grpc,
                ServerTls.of(root, "tls"),
                tokenFile,
                identity,
                Optional.empty(),
                SpanReplicas.rules(root.section("replicas")),
                Sampling.of(root.section("sampling")),
                root.has("engine") ? Optional.of(EngineSettings.within(root.section("engine"))) : Optional.empty(),
                patience(join),
                capacity(join));
    }

    private static Duration patience(Settings join) {
        Duration patience = join.duration("patience", Duration.ofMillis(100), Duration.ofMinutes(5), DEFAULT_PATIENCE);
        return Objects.requireNonNullElse(patience, DEFAULT_PATIENCE);
    }

    private static int capacity(Settings join) {
        return (int) join.integer("capacity", 1, MAX_CAPACITY, DEFAULT_CAPACITY);
    }

    private static ListenAddress address(Settings section, String key, String whenAbsent) {
        String text = section.text(key, whenAbsent);
        try {
            return ListenAddress.parse(text);
        } catch (IllegalArgumentException e) {
            section.problem(key, "HOST:PORT, or PORT for loopback", "'" + text + "'");
            return ListenAddress.parse(whenAbsent);
        }
    }
}
