package io.inferwatch.probes.tls;

import io.inferwatch.schemas.settings.Settings;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.io.File;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.SSLException;

/**
 * How others reach a port over TLS.
 *
 * @param certificate chain in PEM
 * @param key in PEM, PKCS#8, without a password
 * @param clientAuthority in PEM; a client must show a certificate of it
 */
public record ServerTls(Path certificate, Path key, Optional<Path> clientAuthority) {
    /** Reads the section; empty when it is not there. Problems are the section's. */
    public static Optional<ServerTls> of(Settings parent, String key) {
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

    /**
     * For a port of HTTP/1.1.
     *
     * @throws SSLException when the files hold no certificate and key; so does {@link IllegalArgumentException}
     */
    public SslContext context() throws SSLException {
        return builder().build();
    }

    /** The same for a port that takes HTTP/2 alone. */
    public SslContext http2Context() throws SSLException {
        return offering(ApplicationProtocolNames.HTTP_2)
                .ciphers(Http2SecurityUtil.CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
                .build();
    }

    /** The same for a port that takes both, HTTP/2 before HTTP/1.1. */
    public SslContext contextOfBoth() throws SSLException {
        return offering(ApplicationProtocolNames.HTTP_2, ApplicationProtocolNames.HTTP_1_1)
                .build();
    }

    private SslContextBuilder offering(String... protocols) {
        return builder()
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        Protocol.ALPN,
                        SelectorFailureBehavior.NO_ADVERTISE,
                        SelectedListenerFailureBehavior.ACCEPT,
                        protocols));
    }

    private SslContextBuilder builder() {
        SslContextBuilder builder = SslContextBuilder.forServer(certificate.toFile(), key.toFile());
        Optional<File> authority = clientAuthority.map(Path::toFile);
        if (authority.isPresent()) {
            builder.trustManager(authority.get()).clientAuth(ClientAuth.REQUIRE);
        }
        return builder;
    }
}
