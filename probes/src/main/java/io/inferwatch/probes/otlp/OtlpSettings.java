package io.inferwatch.probes.otlp;

import io.inferwatch.probes.admin.ListenAddress;
import io.inferwatch.probes.identity.IdentityRules;
import io.inferwatch.probes.identity.ReplicaIdentity;
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
 * @param tokenFile what senders must know, if anything
 * @param only the one replica whose spans come here, as in the proxy's process; otherwise their resources say which
 * @param joinPatience how long one side of a request waits for the other
 * @param joinCapacity how many requests may wait
 */
public record OtlpSettings(
        ListenAddress http,
        ListenAddress grpc,
        Optional<Path> tokenFile,
        IdentityRules identity,
        Optional<ReplicaIdentity> only,
        List<SpanReplicas.Rule> replicas,
        Sampling sampling,
        Duration joinPatience,
        int joinCapacity) {
    private static final Duration DEFAULT_PATIENCE = Duration.ofSeconds(10);
    private static final int DEFAULT_CAPACITY = 50_000;
    private static final int MAX_CAPACITY = 1_000_000;

    /** Reads the sections {@code replicas}, {@code sampling} and {@code join} of a settings file. Problems are the sections'. */
    public static OtlpSettings of(
            Settings root,
            ListenAddress http,
            ListenAddress grpc,
            Optional<Path> tokenFile,
            IdentityRules identity,
            Optional<ReplicaIdentity> only) {
        Settings join = root.section("join");
        Duration patience = join.duration("patience", Duration.ofMillis(100), Duration.ofMinutes(5), DEFAULT_PATIENCE);
        return new OtlpSettings(
                http,
                grpc,
                tokenFile,
                identity,
                only,
                SpanReplicas.rules(root.section("replicas")),
                Sampling.of(root.section("sampling")),
                Objects.requireNonNullElse(patience, DEFAULT_PATIENCE),
                (int) join.integer("capacity", 1, MAX_CAPACITY, DEFAULT_CAPACITY));
    }
}
