package io.inferwatch.probes.proxy;

import io.inferwatch.schemas.settings.Settings;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.File;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.SSLException;

/**
 * How clients reach the proxy over TLS.
 *
 * @param certificate chain in PEM
 * @param key in PEM, PKCS#8, without a password
 * @param clientAuthority in PEM; a client must show a certificate of it
 */
record ServerTls(Path certificate, Path key, Optional<Path> clientAuthority) {
    /** Reads the section; empty when it is not there. Problems are the section's. */
    static Optional<ServerTls> of(Settings parent, String key) {
        if (!parent.has(key)) {
            return Optional.empty();
        }
        Settings section = parent.section(key);
        ServerTls tls = new ServerTls(
                Path.of(section.text("certificate")),
                Path.of(section.text("key")),
                Optional.of(section.text("client-ca", ""))
                        .filter(text -> !text.isEmpty())
                        .map(Path::of));
        PemFiles.require(section, "certificate", tls.certificate);
        PemFiles.require(section, "key", tls.key);
        tls.clientAuthority.ifPresent(path -> PemFiles.require(section, "client-ca", path));
        return Optional.of(tls);
    }

    SslContext context() throws SSLException {
        SslContextBuilder builder = SslContextBuilder.forServer(certificate.toFile(), key.toFile());
        Optional<File> authority = clientAuthority.map(Path::toFile);
        if (authority.isPresent()) {
            builder.trustManager(authority.get()).clientAuth(ClientAuth.REQUIRE);
        }
        return builder.build();
    }
}
