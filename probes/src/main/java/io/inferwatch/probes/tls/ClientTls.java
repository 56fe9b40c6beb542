package io.inferwatch.probes.tls;

import io.inferwatch.schemas.settings.Settings;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.SSLException;

/**
 * Whom a probe trusts where it goes by TLS, and as whom it goes there. The name in the server's certificate is checked.
 *
 * @param authority in PEM; without it, the Java runtime's
 * @param certificate chain in PEM that the probe shows; with its key, or neither
 * @param key in PEM, PKCS#8, without a password
 */
public record ClientTls(Optional<Path> authority, Optional<Path> certificate, Optional<Path> key) {
    /** Trusts whom the Java runtime trusts, and shows nothing. */
    public static final ClientTls SYSTEM = new ClientTls(Optional.empty(), Optional.empty(), Optional.empty());

    /** Reads the section; problems are the section's. */
    public static ClientTls of(Settings section) {
        ClientTls tls = new ClientTls(path(section, "ca"), path(section, "certificate"), path(section, "key"));
        if (tls.certificate.isPresent() != tls.key.isPresent()) {
            section.problem(
                    "key",
                    "given with certificate, or neither",
                    tls.key.isPresent() ? "key alone" : "certificate alone");
        }
        return tls;
    }

    /**
     * What the files hold.
     *
     * @throws SSLException when they hold no certificates, or no key; so does {@link IllegalArgumentException}
     */
    public SslContext context() throws SSLException {
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
