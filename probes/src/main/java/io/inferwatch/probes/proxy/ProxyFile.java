package io.inferwatch.probes.proxy;

import io.inferwatch.probes.identity.IdentityRules;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.probes.otlp.OtlpSettings;
import io.inferwatch.probes.publish.SpoolSettings;
import io.inferwatch.probes.tls.ClientTls;
import io.inferwatch.probes.tls.ServerTls;
import io.inferwatch.schemas.settings.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What the proxy's settings file says.
 *
 * @param tls how clients reach the proxy; empty for plain HTTP
 * @param upstreamTls whom to trust upstream, and as whom to go there
 * @param timeouts towards the server
 * @param replica the server that is watched
 * @param rules by which requests say who asked
 * @param spool where events go while Kafka is away, if anywhere
 * @param otlp how the server's own spans are taken, if they are
 */
public record ProxyFile(
        Optional<ServerTls> tls,
        ClientTls upstreamTls,
        Timeouts timeouts,
        ReplicaIdentity replica,
        IdentityRules rules,
        Optional<SpoolSettings> spool,
        Optional<OtlpSettings> otlp) {
    private static final Duration LEAST = Duration.ofMillis(1);
    private static final Duration DAY = Duration.ofDays(1);
    private static final long MEBIBYTE = 1L << 20;

    /**
     * After how long a client is answered without the server, or a connection closed.
     *
     * @param connect to the server
     * @param upstream of silence of the server
     * @param idle of a connection without use
     */
    public record Timeouts(Duration connect, Duration upstream, Duration idle) {}

    /** Reads the file; problems are its sections'. */
    public static ProxyFile of(Settings root, Map<String, String> environment) {
        Optional<ServerTls> tls = ServerTls.of(root, "tls");
        ClientTls upstreamTls = ClientTls.of(root.section("upstream-tls"));
        Settings timeouts = root.section("timeouts");
        Timeouts limits = new Timeouts(
                duration(timeouts, "connect", ProxySettings.CONNECT_TIMEOUT),
                duration(timeouts, "upstream", ProxySettings.UPSTREAM_TIMEOUT),
                duration(timeouts, "idle", ProxySettings.IDLE_TIMEOUT));
        ReplicaIdentity replica = ReplicaIdentity.of(root.section("replica"), environment);
        IdentityRules rules = IdentityRules.of(root.section("identity"));
        return new ProxyFile(
                tls,
                upstreamTls,
                limits,
                replica,
                rules,
                spool(root),
                root.has("otlp")
                        ? Optional.of(OtlpSettings.inProxy(root.section("otlp"), rules, replica))
                        : Optional.empty());
    }

    private static Optional<SpoolSettings> spool(Settings root) {
        if (!root.has("spool")) {
            return Optional.empty();
        }
        Settings section = root.section("spool");
        String directory = section.text("directory");
        long limitMebibytes = section.integer("limit-mib", 1, 1 << 20, SpoolSettings.DEFAULT_LIMIT_BYTES / MEBIBYTE);
        return Optional.of(SpoolSettings.of(Path.of(directory), limitMebibytes * MEBIBYTE));
    }

    private static Duration duration(Settings section, String key, Duration whenAbsent) {
        return Objects.requireNonNullElse(section.duration(key, LEAST, DAY, whenAbsent), whenAbsent);
    }
}
