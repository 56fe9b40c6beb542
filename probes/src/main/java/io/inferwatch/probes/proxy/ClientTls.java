package io.inferwatch.probes.proxy;

import io.inferwatch.schemas.settings.Settings;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.SSLException;

/**
 * Whom the proxy trusts upstream, and as whom it goes there. The name in the upstream's certificate is checked.
 *
 * @param authority in PEM; without it, the Java runtime's
 * @param certificate chain in PEM that the proxy shows; with its key, or neither
 * @param key in PEM, PKCS#8, without a password
 */
record ClientTls(Optional<Path> authority, Optional<Path> certificate, Optional<Path> key) {
    static final ClientTls SYSTEM = new ClientTls(Optional.empty(), Optional.empty(), Optional.empty());

    /** Reads the section; problems are the section's. */
    static ClientTls of(Settings section) {
        ClientTls tls = new ClientTls(path(section, "ca"), path(section, "certificate"), path(section, "key"));
        if (tls.certificate.isPresent() != tls.key.isPresent()) {
            section.problem(
                    "key",
                    "given with certificate, or neither",
                    tls.key.isPresent() ? "key alone" : "certificate alone");
        }
        return tls;
    }

    SslContext context() throws SSLException {
        SslContextBuilder builder = SslContextBuilder.forClient().endpointIdentificationAlgorithm("HTTPS");
        if (authority.isPresent()) {
            builder.trustManager(authority.get().toFile());
        }
        if (certificate.isPresent() && key.isPresent()) {
            builder.keyManager(certificate.get().toFile(), key.get().toFile());
        }
        return builder.build();
    }

    private static Optional<Path> path(Settings section, String key) {
        Optional<Path> path = Optional.of(section.text(key, ""))
                .filter(text -> !text.isEmpty())
                .map(Path::of);
        path.ifPresent(present -> PemFiles.require(section, key, present));
        return path;
    }
}
