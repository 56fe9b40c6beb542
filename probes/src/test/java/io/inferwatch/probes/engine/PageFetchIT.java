package io.inferwatch.probes.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.probes.tls.TestCertificate;
import io.inferwatch.schemas.settings.Settings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One target's connection, byte by byte, and over TLS on both sides. */
class PageFetchIT {
    private static final String ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\na 1\n";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ScrapeSettings SETTINGS =
            new ScrapeSettings(PATIENCE, PATIENCE, 1 << 20, 1_000, PATIENCE, PATIENCE, false);

    private final List<AutoCloseable> open = new ArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final PageClient client = new PageClient(SETTINGS);

    @TempDir
    private Path directory;

    /** Answers the requests of one connection until it returns; then the connection ends. */
    private interface Script {
        void serve(BufferedReader in, Socket connection) throws IOException;
    }

    @AfterEach
    void closeAll() throws Exception {
        client.close();
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    @Test
    void pagesComeOverOneConnection() throws Exception {
        PageFetch fetch = fetch(serve((in, connection) -> {
            while (isRequest(in)) {
                write(connection, ANSWER);
            }
        }));
        for (int i = 0; i < 3; i++) {
            assertThat(page(fetch)).isEqualTo("a 1\n");
        }
        assertThat(connections).hasValue(1);
    }

    @Test
    void aConnectionThatEndsAsItIsUsedAgainIsMadeAnewOnce() throws Exception {
        PageFetch fetch = fetch(serve((in, connection) -> {
            if (isRequest(in)) {
                write(connection, ANSWER);
            }
            // Reads the second request and ends without a byte, as a server does whose patience is over in that moment.
            isRequest(in);
        }));
        assertThat(page(fetch)).isEqualTo("a 1\n");
        assertThat(page(fetch)).isEqualTo("a 1\n");
        assertThat(connections).hasValue(2);
    }

    @Test
    void anAnswerThatNobodyAskedForIsNotTakenForTheNextPage() throws Exception {
        PageFetch fetch = fetch(serve((in, connection) -> {
            while (isRequest(in)) {
                write(connection, ANSWER + ANSWER.replace("a 1", "a 9"));
            }
        }));
        assertThat(page(fetch)).isEqualTo("a 1\n");
        assertThat(page(fetch)).isEqualTo("a 1\n");
        assertThat(connections).hasValue(2);
    }

    @Test
    void aFirstConnectionThatEndsWithoutAnAnswerIsAFailure() throws Exception {
        PageFetch fetch = fetch(serve((in, connection) -> isRequest(in)));
        assertThat(failure(fetch)).isEqualTo(ScrapeFailure.BROKEN);
        assertThat(connections).hasValue(1);
    }

    @Test
    void aPageThatIsCutShortIsAFailureAndTheNextOneIsWhole() throws Exception {
        AtomicInteger answers = new AtomicInteger();
        PageFetch fetch = fetch(serve((in, connection) -> {
            if (isRequest(in)) {
                write(connection, answers.incrementAndGet() == 1 ? ANSWER.substring(0, ANSWER.length() - 1) : ANSWER);
            }
        }));
        assertThat(failure(fetch)).isEqualTo(ScrapeFailure.BROKEN);
        assertThat(page(fetch)).isEqualTo("a 1\n");
    }

    @Test
    void chunksAPageUpToTheEndOfTheConnectionAndAnInterimAnswerAreUnderstood() throws Exception {
        assertThat(page(fetch(serve((in, connection) -> {
                    if (isRequest(in)) {
                        write(
                                connection,
                                "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\na \r\n2\r\n1\n\r\n0\r\n\r\n");
                    }
                }))))
                .isEqualTo("a 1\n");
        assertThat(page(fetch(serve((in, connection) -> {
                    if (isRequest(in)) {
                        write(connection, "HTTP/1.0 200 OK\r\n\r\na 1\n");
                    }
                }))))
                .isEqualTo("a 1\n");
    }

    @Test
    void whatIsNoHttpIsAFailure() throws Exception {
        PageFetch fetch = fetch(serve((in, connection) -> {
            if (isRequest(in)) {
                write(connection, "+OK POP3 ready\r\n\r\n");
            }
        }));
        assertThat(failure(fetch)).isEqualTo(ScrapeFailure.BROKEN);
    }

    @Test
    void aNameThatNobodyKnowsIsAFailureToConnect() throws Exception {
        assertThat(failure(fetch(URI.create("http://nowhere.invalid:1/metrics"), TargetTls.SYSTEM)))
                .isEqualTo(ScrapeFailure.CONNECT);
    }

    @Test
    void aPageComesOverTlsWithACertificateShownOnBothSides() throws Exception {
        TestCertificate server = TestCertificate.make(directory, "server");
        TestCertificate probe = TestCertificate.make(directory, "probe");
        URI url = serveTls(server, probe);
        TargetTls mutual = new TargetTls(
                Optional.of(server.certificate()), Optional.of(probe.certificate()), Optional.of(probe.key()));
        PageFetch fetch = fetch(url, mutual);
        assertThat(page(fetch)).isEqualTo("a 1\n");
        assertThat(page(fetch)).isEqualTo("a 1\n");
        assertThat(connections).hasValue(1);
    }

    @Test
    void neitherAServerThatIsNotTrustedNorAnUnknownNameNorAProbeWithoutACertificateIsServed() throws Exception {
        TestCertificate server = TestCertificate.make(directory, "server");
        TestCertificate probe = TestCertificate.make(directory, "probe");
        URI url = serveTls(server, probe);
        Optional<Path> certificate = Optional.of(probe.certificate());
        Optional<Path> key = Optional.of(probe.key());
        assertThat(failure(fetch(url, new TargetTls(Optional.empty(), certificate, key))))
                .isEqualTo(ScrapeFailure.BROKEN);
        assertThat(failure(fetch(
                        url, new TargetTls(Optional.of(server.certificate()), Optional.empty(), Optional.empty()))))
                .isEqualTo(ScrapeFailure.BROKEN);
        URI byAddress = URI.create("https://127.0.0.1:" + url.getPort() + "/metrics");
        assertThat(failure(fetch(byAddress, new TargetTls(Optional.of(server.certificate()), certificate, key))))
                .isEqualTo(ScrapeFailure.BROKEN);
    }

    private URI serveTls(TestCertificate server, TestCertificate trusted) throws IOException, GeneralSecurityException {
        SSLServerSocket listening = (SSLServerSocket) server.context(trusted)
                .getServerSocketFactory()
                .createServerSocket(0, 16, InetAddress.getLoopbackAddress());
        listening.setNeedClientAuth(true);
        int port = serve(listening, (in, connection) -> {
                    while (isRequest(in)) {
                        write(connection, ANSWER);
                    }
                })
                .getPort();
        return URI.create("https://localhost:" + port + "/metrics");
    }

    private URI serve(Script script) throws IOException {
        return serve(new ServerSocket(0, 16, InetAddress.getLoopbackAddress()), script);
    }

    private URI serve(ServerSocket listening, Script script) {
        open.add(listening);
        Thread thread = new Thread(() -> {
            while (!listening.isClosed()) {
                try (Socket connection = listening.accept()) {
                    connections.incrementAndGet();
                    script.serve(
                            new BufferedReader(
                                    new InputStreamReader(connection.getInputStream(), StandardCharsets.US_ASCII)),
                            connection);
                } catch (IOException e) {
                    // The probe went away, or the test is over.
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
        return URI.create("http://127.0.0.1:" + listening.getLocalPort() + "/metrics");
    }

    private static boolean isRequest(BufferedReader in) throws IOException {
        String line = in.readLine();
        while (line != null && !line.isEmpty()) {
            line = in.readLine();
        }
        return line != null;
    }

    private static void write(Socket connection, String text) throws IOException {
        connection.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        connection.getOutputStream().flush();
    }

    private PageFetch fetch(URI url) {
        return fetch(url, TargetTls.SYSTEM);
    }

    private PageFetch fetch(URI url, TargetTls tls) {
        ReplicaIdentity identity = ReplicaIdentity.of(Settings.parse("replica", ""), Map.of("INFERWATCH_REPLICA", "r"));
        return new PageFetch(client, new Target(url, identity, Optional.empty(), tls));
    }

    private String page(PageFetch fetch) throws InterruptedException, ExecutionException, TimeoutException {
        return get(fetch).get(2 * PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private ScrapeFailure failure(PageFetch fetch) throws InterruptedException, TimeoutException {
        try {
            throw new AssertionError("a failure must come, found the page " + page(fetch));
        } catch (ExecutionException e) {
            return ((ScrapeFailedException) e.getCause()).failure();
        }
    }

    private CompletableFuture<String> get(PageFetch fetch) {
        CompletableFuture<String> told = new CompletableFuture<>();
        client.loop()
                .execute(() -> fetch.get(new PageFetch.Taker() {
                    @Override
                    public void page(PageBody body) {
                        told.complete(new String(
                                body.text(), body.from(), body.to() - body.from(), StandardCharsets.US_ASCII));
                    }

                    @Override
                    public void failed(ScrapeFailedException failure) {
                        told.completeExceptionally(failure);
                    }
                }));
        return told;
    }
}
