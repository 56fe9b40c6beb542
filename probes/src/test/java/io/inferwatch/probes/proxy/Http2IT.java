package io.inferwatch.probes.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inferwatch.probes.EventList;
import io.inferwatch.probes.admin.ListenAddress;
import io.inferwatch.probes.tls.ClientTls;
import io.inferwatch.probes.tls.ServerTls;
import io.inferwatch.probes.tls.TestCertificate;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that speak HTTP/2, agreed on within TLS; curl with prior knowledge is among the real clients. */
class Http2IT {
    private static final String HEAD =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    private static final String TOKEN = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n";
    private static final String DONE =
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    private static final int GO_AWAY = 7;

    @TempDir
    private Path directory;

    private final EventList publisher = new EventList();
    private ScriptedUpstream upstream;
    private TestCertificate certificate;
    private ProxyProbe probe;
    private HttpClient client;

    @BeforeEach
    void start() throws IOException, InterruptedException, GeneralSecurityException {
        certificate = TestCertificate.make(directory, "proxy");
        upstream = new ScriptedUpstream(ScriptedUpstream.always(
                (HEAD + chunk(TOKEN) + chunk(DONE) + "0\r\n\r\n").getBytes(StandardCharsets.UTF_8)));
        probe = Probes.start(
                new ProxySettings(
                        ListenAddress.parse("0"),
                        upstream.uri(),
                        Optional.of(new ServerTls(certificate.certificate(), certificate.key(), Optional.empty())),
                        ClientTls.SYSTEM,
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(30),
                        ProxySettings.IDLE_TIMEOUT,
                        1,
                        false),
                publisher,
                directory);
        client = HttpClient.newBuilder()
                .sslContext(certificate.anonymous())
                .version(HttpClient.Version.HTTP_2)
                .build();
    }

    @AfterEach
    void stop() throws IOException {
        probe.close();
        upstream.close();
    }

    @Test
    void aStreamIsMeasuredAndItsRequestPassesUnchanged() throws IOException, InterruptedException {
        HttpResponse<String> answer = client.send(ask("/v1/chat/completions"), BodyHandlers.ofString());
        assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
        assertThat(answer.body()).isEqualTo(TOKEN + DONE);
        ScriptedUpstream.Request request = upstream.requests().get(0);
        assertThat(request.head())
                .startsWith("POST /v1/chat/completions HTTP/1.1\r\n")
                .contains("x-mine: 1")
                .doesNotContain("x-http2");
        assertThat(request.bodyText()).isEqualTo("{\"stream\":true}");
        RequestEvent event = Probes.event(publisher);
        assertThat(event.getHttpVersion()).isEqualTo("2");
        assertThat(event.getOutcome()).isEqualTo(Outcome.OK);
        assertThat(event.getTokenChunks()).isEqualTo(1);
        assertThat(event.getTtfdMicros()).isNotNull();
    }

    @Test
    void requestsWithoutABodyAndAnswersWithoutOneAreWhole() throws IOException, InterruptedException {
        upstream.script(ScriptedUpstream.always(
                "HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
        HttpResponse<String> answer =
                client.send(HttpRequest.newBuilder(uri("/health")).GET().build(), BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(204);
        assertThat(answer.headers().firstValue("x-a")).contains("b");
        assertThat(upstream.requests().get(0).head()).doesNotContain("transfer-encoding");
    }

    @Test
    void aSlowStreamPacesItsUpstreamAndHoldsUpNoOther() throws IOException, InterruptedException {
        long offered = 64L << 20;
        AtomicLong taken = new AtomicLong();
        upstream.script((request, connection) -> {
            OutputStream out = connection.getOutputStream();
            if (request.head().contains("/small")) {
                ScriptedUpstream.write(out, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
                return true;
            }
            byte[] piece = new byte[64 << 10];
            ScriptedUpstream.write(out, "HTTP/1.1 200 OK\r\nContent-Length: " + offered + "\r\n\r\n");
            for (long sent = 0; sent < offered; sent += piece.length) {
                out.write(piece);
                taken.addAndGet(piece.length);
            }
            return true;
        });
        HttpResponse<InputStream> slow =
                client.send(HttpRequest.newBuilder(uri("/big")).GET().build(), BodyHandlers.ofInputStream());
        await().during(Duration.ofMillis(300)).atMost(Duration.ofSeconds(10)).until(new Standstill(taken)::reached);
        assertThat(taken.get()).isLessThan(offered / 2);
        for (int i = 0; i < 3; i++) {
            assertThat(client.send(HttpRequest.newBuilder(uri("/small")).GET().build(), BodyHandlers.ofString())
                            .body())
                    .isEqualTo("ok");
        }
        try (InputStream body = slow.body()) {
            assertThat(body.readAllBytes()).hasSize((int) offered);
        }
    }

    @Test
    void aStreamThatIsResetTakesItsConnectionUpstreamWithIt() throws IOException, InterruptedException {
        CountDownLatch gone = new CountDownLatch(1);
        upstream.script((request, connection) -> {
            ScriptedUpstream.write(connection.getOutputStream(), HEAD + chunk(TOKEN));
            if (connection.getInputStream().read() < 0) {
                gone.countDown();
            }
            return false;
        });
        HttpResponse<InputStream> answer = client.send(ask("/v1/chat/completions"), BodyHandlers.ofInputStream());
        try (InputStream body = answer.body()) {
            assertThat(body.readNBytes(TOKEN.length())).asString().isEqualTo(TOKEN);
        }
        assertThat(gone.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(Probes.event(publisher).getOutcome()).isEqualTo(Outcome.CLIENT_CANCEL);
    }

    @Test
    void drainingTellsTheConnectionToGoAway() throws IOException, InterruptedException {
        try (ProxyProbe plain = Probes.start(upstream.uri(), publisher, directory);
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), plain.port())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream()
                    .write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0".getBytes(StandardCharsets.ISO_8859_1));
            DataInputStream in = new DataInputStream(socket.getInputStream());
            assertThat(frame(in)).as("settings").isEqualTo(4);
            assertThat(plain.drain(Duration.ZERO, Duration.ofSeconds(10))).isTrue();
            int type = frame(in);
            while (type != GO_AWAY) {
                type = frame(in);
            }
        }
    }

    private static int frame(DataInputStream in) throws IOException {
        int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        in.skipNBytes(1 + 4 + length);
        return type;
    }

    private HttpRequest ask(String path) {
        return HttpRequest.newBuilder(uri(path))
                .header("X-Mine", "1")
                .POST(HttpRequest.BodyPublishers.ofString("{\"stream\":true}"))
                .build();
    }

    private URI uri(String path) {
        return URI.create("https://localhost:" + probe.port() + path);
    }

    private static String chunk(String text) {
        return Integer.toHexString(text.length()) + "\r\n" + text + "\r\n";
    }
}
