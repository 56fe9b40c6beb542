package io.inferwatch.probes.engine;

import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.schemas.settings.Settings;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLException;

/**
 * Whom a scrape over TLS trusts, and as whom it comes. The name in the server's certificate is checked.
 *
 * @param authority in PEM; without it, the Java runtime's
 * @param certificate chain in PEM; with its key, or neither
 * @param key in PEM, PKCS#8, without a password
 */
public record TargetTls(Optional<Path> authority, Optional<Path> certificate, Optional<Path> key) {
    /** What the Java runtime trusts, without a certificate. */
    public static final TargetTls SYSTEM = new TargetTls(Optional.empty(), Optional.empty(), Optional.empty());

    /** Reads {@code ca}, {@code certificate} and {@code key} of a section. Problems are the section's. */
    static TargetTls of(Settings section) {
        TargetTls tls = new TargetTls(path(section, "ca"), path(section, "certificate"), path(section, "key"));
        if (tls.certificate.isPresent() != tls.key.isPresent()) {
            section.problem("key", "given with certificate, or neither", "one of them");
        }
        return tls;
    }

    static Optional<Path> path(Settings section, String key) {
        Optional<Path> path = Optional.of(section.text(key, ""))
                .filter(text -> !text.isEmpty())
                .map(Path::of);
        path.filter(file -> !Files.isReadable(file))
                .ifPresent(file -> section.problem(key, "a readable file", "'" + file + "'"));
        return path;
    }

    JdkSslContext context() {
        SslContextBuilder builder = SslContextBuilder.forClient().sslProvider(SslProvider.JDK);
        try {
            authority.ifPresent(file -> builder.trustManager(file.toFile()));
            if (certificate.isPresent() && key.isPresent()) {
                builder.keyManager(certificate.get().toFile(), key.get().toFile());
            }
            return (JdkSslContext) builder.build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new InvalidSettingsException(
                    "TLS", List.of("ca, certificate, key: must be PEM files, found " + e.getMessage()));
        }
    }
}
