package io.inferwatch.probes.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.probes.EventList;
import io.inferwatch.probes.admin.ListenAddress;
import io.inferwatch.probes.tls.ClientTls;
import io.inferwatch.probes.tls.ServerTls;
import io.inferwatch.probes.tls.TestCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS on both sides of the proxy, with certificates asked of both its peers and of itself. */
class ProxyTlsIT {
    @TempDir
    private Path directory;

    private final EventList publisher = new EventList();
    private TestCertificate proxy;
    private TestCertificate client;
    private TestCertificate server;
    private ScriptedUpstream upstream;
    private ProxyProbe probe;

    @BeforeEach
    void start() throws IOException, InterruptedException, GeneralSecurityException {
        proxy = TestCertificate.make(directory, "proxy");
        client = TestCertificate.make(directory, "client");
        server = TestCertificate.make(directory, "server");
        SSLServerSocket listening = (SSLServerSocket) server.context(proxy)
                .getServerSocketFactory()
                .createServerSocket(0, 16, InetAddress.getLoopbackAddress());
        listening.setNeedClientAuth(true);
        upstream = new ScriptedUpstream(
                ScriptedUpstream.always(
                        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(StandardCharsets.US_ASCII)),
                listening);
        probe = Probes.start(settings(server), publisher, directory);
    }

    @AfterEach
    void stop() throws IOException {
        probe.close();
        upstream.close();
    }

    @Test
    void serversAndClientsThatAreKnownAreServed() throws IOException, GeneralSecurityException {
        try (RawClient known = new RawClient(socket(client.context(proxy)))) {
            for (int i = 0; i < 2; i++) {
                assertThat(known.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                                .head()
                                .get(0))
                        .isEqualTo("HTTP/1.1 200 OK");
                assertThat(known.bytes(2)).asString().isEqualTo("ok");
            }
        }
        assertThat(upstream.connections()).isEqualTo(1);
    }

    @Test
    void aClientWithoutACertificateIsNotServed() throws GeneralSecurityException {
        SSLContext anonymous = proxy.anonymous();
        assertThatThrownBy(() -> {
                    try (RawClient unknown = new RawClient(socket(anonymous))) {
                        unknown.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
                        assertThat(unknown.head()).isNotEmpty();
                    }
                })
                .isInstanceOfAny(IOException.class, AssertionError.class);
        assertThat(upstream.requests()).isEmpty();
    }

    @Test
    void anUpstreamThatIsNotTrustedMakesA502() throws IOException, GeneralSecurityException {
        probe.close();
        probe = Probes.start(settings(client), publisher, directory);
        try (RawClient known = new RawClient(socket(client.context(proxy)))) {
            known.post("/v1/chat/completions", "{}");
            assertThat(known.head().get(0)).isEqualTo("HTTP/1.1 502 Bad Gateway");
        }
        assertThat(Probes.event(publisher).getErrorType()).isEqualTo("upstream-refused");
        assertThat(upstream.requests()).isEmpty();
    }

    private Socket socket(SSLContext context) throws IOException {
        return context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), probe.port());
    }

    private ProxySettings settings(TestCertificate trustedUpstream) {
        return new ProxySettings(
                ListenAddress.parse("0"),
                URI.create("https://localhost:" + upstream.port()),
                Optional.of(new ServerTls(proxy.certificate(), proxy.key(), Optional.of(client.certificate()))),
                new ClientTls(
                        Optional.of(trustedUpstream.certificate()),
                        Optional.of(proxy.certificate()),
                        Optional.of(proxy.key())),
                Duration.ofSeconds(5),
                Duration.ofSeconds(30),
                ProxySettings.IDLE_TIMEOUT,
                1,
                false);
    }
}
