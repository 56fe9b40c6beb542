package io.inferwatch.probes.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.github.luben.zstd.ZstdOutputStream;
import io.inferwatch.probes.EventList;
import io.inferwatch.probes.publish.ReplicaState;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.TokenSource;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProxyIT {
    private static final String CHAT = "/v1/chat/completions";
    private static final String ASK =
            "{\"model\":\"m\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}";
    private static final String STREAM_HEAD =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Accel-Buffering: no\r\nTransfer-Encoding: chunked\r\n\r\n";
    private static final String TOKEN = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n";
    private static final String DONE =
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    private static final String LAST_CHUNK = "0\r\n\r\n";

    @TempDir
    private Path directory;

    private final EventList publisher = new EventList();
    private final ScriptedUpstream upstream = new ScriptedUpstream(ScriptedUpstream.always(
            (STREAM_HEAD + chunk(TOKEN) + chunk(TOKEN) + chunk(DONE) + LAST_CHUNK).getBytes(StandardCharsets.UTF_8)));
    private ProxyProbe probe;

    private ProxyProbe probe() {
        if (probe == null) {
            probe = Probes.start(upstream.uri(), publisher, directory);
        }
        return probe;
    }

    @AfterEach
    void stop() throws IOException {
        if (probe != null) {
            probe.close();
        }
        upstream.close();
    }

    @Test
    void measuresAStreamAndSaysWhereItRan() throws IOException {
        try (RawClient client = new RawClient(probe().port())) {
            client.send("POST " + CHAT + " HTTP/1.1\r\nHost: model\r\nX-Request-Id: r-1\r\nContent-Length: "
                    + ASK.length() + "\r\n\r\n" + ASK);
            assertThat(client.head().get(0)).isEqualTo("HTTP/1.1 200 OK");
            assertThat(client.chunkedBody()).isEqualTo(TOKEN + TOKEN + DONE);
        }
        RequestEvent event = Probes.event(publisher);
        assertThat(event.getOutcome()).isEqualTo(Outcome.OK);
        assertThat(event.getReplica()).isEqualTo("chat-0");
        assertThat(event.getVersion()).isEqualTo("v7");
        assertThat(event.getRequestId()).isEqualTo("r-1");
        assertThat(event.getModel()).isEqualTo("m");
        assertThat(event.getTokenChunks()).isEqualTo(2);
        assertThat(event.getStreaming()).isTrue();
        assertThat(event.getPromptCharacters()).isEqualTo(5);
        assertThat(event.getConnectionReadyMicros()).isNotNull();
        assertThat(event.getTtfdMicros()).isGreaterThanOrEqualTo(event.getTtftMicros());
        assertThat(event.getProxyOverheadMicros()).isNotNull();
        assertThat(event.toString()).doesNotContain("hello");
    }

    @Test
    void asksForUsageAndKeepsItFromAClientThatDidNotAsk() throws IOException {
        String usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":7}}\n\n";
        upstream.script((request, connection) -> {
            boolean asked = request.bodyText().contains("\"include_usage\":true");
            String body = chunk(TOKEN) + (asked ? chunk(usage) : "") + chunk(DONE) + LAST_CHUNK;
            ScriptedUpstream.write(connection.getOutputStream(), STREAM_HEAD + body);
            return true;
        });
        probe = Probes.startWithUsage(upstream.uri(), publisher, directory);
        String asking = ASK.replace("{\"model\"", "{\"stream_options\":{\"include_usage\":true},\"model\"");
        try (RawClient client = new RawClient(probe.port())) {
            for (String body : List.of(ASK, asking)) {
                client.send(
                        "POST " + CHAT + " HTTP/1.1\r\nHost: model\r\nContent-Length: " + body.length() + "\r\n\r\n");
                client.send(body.substring(0, 9));
                client.send(body.substring(9));
                assertThat(client.head().get(0)).isEqualTo("HTTP/1.1 200 OK");
                assertThat(client.chunkedBody()).isEqualTo(TOKEN + (body.equals(asking) ? usage : "") + DONE);
            }
        }
        assertThat(upstream.requests())
                .extracting(ScriptedUpstream.Request::bodyText)
                .containsExactly(asking, asking);
        assertThat(Probes.events(publisher, 2)).allSatisfy(event -> {
            assertThat(event.getOutputTokens()).isEqualTo(7);
            assertThat(event.getTokenSource()).isEqualTo(TokenSource.USAGE);
        });
    }

    @Test
    void headersPassUnchangedButForThoseOfTheConnection() throws IOException {
        upstream.script(ScriptedUpstream.always(
                "HTTP/1.1 201 Made up\r\nx-ODD-Case: a  b\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nKeep-Alive: timeout=5\r\nConnection: keep-alive, X-Mine\r\nX-Mine: gone\r\nContent-Length: 2\r\n\r\nok"
                        .getBytes(StandardCharsets.UTF_8)));
        try (RawClient client = new RawClient(probe().port())) {
            client.send(
                    "POST /any/thing?x=%20y HTTP/1.1\r\nhOst: model:80\r\nAuthorization: Bearer k\r\nConnection: keep-alive, X-Hop\r\nX-Hop: gone\r\nTE: trailers\r\nX-Two: 1\r\nX-Two: 2\r\nContent-Length: 1\r\n\r\nz");
            assertThat(client.head())
                    .containsExactly(
                            "HTTP/1.1 201 Made up",
                            "x-ODD-Case: a  b",
                            "Set-Cookie: a=1",
                            "Set-Cookie: b=2",
                            "Content-Length: 2");
            assertThat(client.bytes(2)).asString().isEqualTo("ok");
        }
        assertThat(upstream.requests().get(0).head().split("\r\n"))
                .containsExactly(
                        "POST /any/thing?x=%20y HTTP/1.1",
                        "hOst: model:80", "Authorization: Bearer k", "X-Two: 1", "X-Two: 2", "Content-Length: 1");
        assertThat(upstream.requests().get(0).bodyText()).isEqualTo("z");
        assertThat(publisher.events()).isEmpty();
    }

    @Test
    void everyPieceIsPassedOnBeforeTheNextIsSent() throws IOException, InterruptedException {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(1);
        upstream.script((request, connection) -> {
            OutputStream out = connection.getOutputStream();
            ScriptedUpstream.write(out, STREAM_HEAD);
            first.await();
            ScriptedUpstream.write(out, chunk(TOKEN));
            second.await();
            ScriptedUpstream.write(out, chunk(DONE) + LAST_CHUNK);
            return true;
        });
        try (RawClient client = new RawClient(probe().port()).post(CHAT, ASK)) {
            client.head();
            first.countDown();
            assertThat(client.chunk()).isEqualTo(TOKEN);
            await().until(() -> publisher.states().get(0).awaitingFirstToken() == 0);
            second.countDown();
            assertThat(client.chunk()).isEqualTo(DONE);
        }
        assertThat(Probes.event(publisher).getOutcome()).isEqualTo(Outcome.OK);
    }

    @Test
    void heartbeatsShowARequestThatHangs() throws IOException {
        CountDownLatch over = new CountDownLatch(1);
        upstream.script((request, connection) -> {
            over.await();
            return false;
        });
        try (RawClient client = new RawClient(probe().port()).post(CHAT, ASK)) {
            await().until(() -> publisher.states().get(0).openRequests() == 1);
            ReplicaState early = publisher.states().get(0);
            assertThat(early.awaitingFirstToken()).isEqualTo(1);
            assertThat(early.startedTotal()).isEqualTo(1);
            await().until(() -> publisher.states().get(0).oldestOpenMicros() > early.oldestOpenMicros());
            assertThat(client).isNotNull();
        } finally {
            over.countDown();
        }
        await().until(() -> publisher.states().get(0).openRequests() == 0);
        assertThat(publisher.states().get(0).cancelledTotal()).isEqualTo(1);
        assertThat(publisher.states().get(0).oldestOpenMicros()).isNull();
    }

    @Test
    void aClientThatGoesAwayTakesItsConnectionUpstreamWithIt() throws IOException, InterruptedException {
        CountDownLatch gone = new CountDownLatch(1);
        upstream.script((request, connection) -> {
            ScriptedUpstream.write(connection.getOutputStream(), STREAM_HEAD + chunk(TOKEN));
            if (connection.getInputStream().read() < 0) {
                gone.countDown();
            }
            return false;
        });
        try (RawClient client = new RawClient(probe().port()).post(CHAT, ASK)) {
            client.head();
            client.chunk();
        }
        assertThat(gone.await(10, TimeUnit.SECONDS)).isTrue();
        RequestEvent event = Probes.event(publisher);
        assertThat(event.getOutcome()).isEqualTo(Outcome.CLIENT_CANCEL);
        assertThat(event.getTtftMicros()).isNotNull();
        assertThat(event.getClientClosedMicros()).isGreaterThanOrEqualTo(event.getTtftMicros());
    }

    @Test
    void anUpstreamThatRefusesMakesA502() throws IOException {
        int freePort;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            freePort = socket.getLocalPort();
        }
        probe = Probes.start(URI.create("http://127.0.0.1:" + freePort), publisher, directory);
        try (RawClient client = new RawClient(probe.port()).post(CHAT, ASK)) {
            assertThat(client.head().get(0)).isEqualTo("HTTP/1.1 502 Bad Gateway");
            client.bytes("the upstream refuses connections\n".length());
            // The connection goes on.
            client.post(CHAT, ASK);
            assertThat(client.head().get(0)).isEqualTo("HTTP/1.1 502 Bad Gateway");
        }
        RequestEvent event = Probes.events(publisher, 2).get(0);
        assertThat(event.getOutcome()).isEqualTo(Outcome.HTTP_ERROR);
        assertThat(event.getHttpStatus()).isEqualTo(502);
        assertThat(event.getErrorType()).isEqualTo("upstream-refused");
    }

    @Test
    void anUpstreamThatBreaksOffBeforeItsAnswerMakesA502() throws IOException {
        upstream.script((request, connection) -> false);
        try (RawClient client = new RawClient(probe().port()).post(CHAT, ASK)) {
            assertThat(client.head().get(0)).isEqualTo("HTTP/1.1 502 Bad Gateway");
        }
        assertThat(Probes.event(publisher).getErrorType()).isEqualTo("upstream-reset");
    }

    @Test
    void anAnswerThatIsNoHttpMakesA502() throws IOException {
        upstream.script((request, connection) -> {
            ScriptedUpstream.write(connection.getOutputStream(), "SSH-2.0-OpenSSH\r\nwhat: now\r\n\r\n");
            return false;
        });
        try (RawClient client = new RawClient(probe().port()).post(CHAT, ASK)) {
            assertThat(client.head().get(0)).isEqualTo("HTTP/1.1 502 Bad Gateway");
        }
        assertThat(Probes.event(publisher).getErrorType()).isEqualTo("upstream-garbled");
    }

    @Test
    void anUpstreamThatHangsMakesA504() throws IOException {
        CountDownLatch over = new CountDownLatch(1);
        upstream.script((request, connection) -> {
            over.await();
            return false;
        });
        probe = Probes.start(Probes.settings(upstream.uri(), Duration.ofMillis(200)), publisher, directory);
        try (RawClient client = new RawClient(probe.port()).post(CHAT, ASK)) {
            assertThat(client.head().get(0)).isEqualTo("HTTP/1.1 504 Gateway Timeout");
        } finally {
            over.countDown();
        }
        RequestEvent event = Probes.event(publisher);
        assertThat(event.getOutcome()).isEqualTo(Outcome.TIMEOUT);
        assertThat(event.getErrorType()).isEqualTo("upstream-timeout");
        assertThat(event.getE2eMicros()).isBetween(200_000L, 5_000_000L);
    }

    @Test
    void anAnswerThatBreaksOffBreaksOffForTheClientToo() throws IOException {
        upstream.script((request, connection) -> {
            ScriptedUpstream.write(connection.getOutputStream(), STREAM_HEAD + chunk(TOKEN));
            return false;
        });
        try (RawClient client = new RawClient(probe().port()).post(CHAT, ASK)) {
            client.head();
            assertThat(client.chunk()).isEqualTo(TOKEN);
            assertThatThrownBy(client::chunk).isInstanceOf(IOException.class);
        }
        RequestEvent event = Probes.event(publisher);
        assertThat(event.getOutcome()).isEqualTo(Outcome.TRUNCATED);
        assertThat(event.getErrorType()).isEqualTo("upstream-cut");
        assertThat(event.getTtftMicros()).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSlowClientPacesTheUpstream(boolean isChunked) throws IOException, InterruptedException {
        long offered = 64L << 20;
        AtomicLong taken = new AtomicLong();
        CountDownLatch over = new CountDownLatch(1);
        upstream.script((request, connection) -> {
            byte[] piece = new byte[64 << 10];
            OutputStream out = connection.getOutputStream();
            ScriptedUpstream.write(
                    out,
                    "HTTP/1.1 200 OK\r\n" + (isChunked ? "Transfer-Encoding: chunked" : "Content-Length: " + offered)
                            + "\r\n\r\n");
            for (long sent = 0; sent < offered; sent += piece.length) {
                if (isChunked) {
                    ScriptedUpstream.write(out, "10000\r\n");
                }
                out.write(piece);
                if (isChunked) {
                    ScriptedUpstream.write(out, "\r\n");
                }
                taken.addAndGet(piece.length);
            }
            if (isChunked) {
                ScriptedUpstream.write(out, LAST_CHUNK);
            }
            over.countDown();
            return true;
        });
        try (RawClient client = new RawClient(probe().port()).send("GET /big HTTP/1.1\r\nHost: x\r\n\r\n")) {
            client.head();
            // Until nothing moves: only the kernel's buffers and the water marks were filled.
            await().during(Duration.ofMillis(300))
                    .atMost(Duration.ofSeconds(10))
                    .until(new Standstill(taken)::reached);
            assertThat(taken.get()).isLessThan(offered / 2);
            assertThat(isChunked ? client.chunkedBytes() : client.bytes((int) offered))
                    .hasSize((int) offered);
            assertThat(over.await(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void connectionsAreUsedAgainOnBothSides() throws IOException {
        try (RawClient client = new RawClient(probe().port())) {
            for (int i = 0; i < 5; i++) {
                client.post(CHAT, ASK).head();
                assertThat(client.chunkedBody()).isEqualTo(TOKEN + TOKEN + DONE);
            }
        }
        assertThat(Probes.events(publisher, 5)).hasSize(5);
        assertThat(upstream.connections()).isEqualTo(1);
    }

    @Test
    void requestsThatDoNotWaitForAnswersAreAnsweredInTurn() throws IOException {
        upstream.script((request, connection) -> {
            String body = "answer to " + request.bodyText();
            ScriptedUpstream.write(
                    connection.getOutputStream(),
                    "HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
            return true;
        });
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < 9; i++) {
            all.append("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n")
                    .append(i);
        }
        try (RawClient client = new RawClient(probe().port()).send(all.toString())) {
            for (int i = 0; i < 9; i++) {
                client.head();
                assertThat(client.bytes("answer to x".length())).asString().isEqualTo("answer to " + i);
            }
        }
    }

    @Test
    void bodiesWithoutALengthEndWithTheirConnection() throws IOException {
        upstream.script((request, connection) -> {
            ScriptedUpstream.write(
                    connection.getOutputStream(),
                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + TOKEN + DONE);
            return false;
        });
        try (RawClient client = new RawClient(probe().port()).post(CHAT, ASK)) {
            assertThat(client.head()).contains("connection: close");
            assertThat(client.rest()).asString(StandardCharsets.UTF_8).isEqualTo(TOKEN + DONE);
        }
        assertThat(Probes.event(publisher).getOutcome()).isEqualTo(Outcome.OK);
    }

    @Test
    void oldClientsGetNoChunks() throws IOException {
        try (RawClient client = new RawClient(probe().port())
                .send("POST " + CHAT + " HTTP/1.0\r\nContent-Length: " + ASK.length() + "\r\n\r\n" + ASK)) {
            assertThat(client.head())
                    .noneMatch(line -> line.toLowerCase(Locale.ROOT).startsWith("transfer-encoding"));
            assertThat(client.rest()).asString(StandardCharsets.UTF_8).isEqualTo(TOKEN + TOKEN + DONE);
        }
    }

    @Test
    void headAnd304HaveNoBodies() throws IOException {
        upstream.script((request, connection) -> {
            String status = request.head().startsWith("HEAD") ? "200 OK" : "304 Not Modified";
            ScriptedUpstream.write(
                    connection.getOutputStream(), "HTTP/1.1 " + status + "\r\nContent-Length: 99\r\n\r\n");
            return true;
        });
        try (RawClient client = new RawClient(probe().port())) {
            assertThat(client.send("HEAD /v1/models HTTP/1.1\r\nHost: x\r\n\r\n")
                            .head())
                    .contains("Content-Length: 99");
            assertThat(client.send("GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n")
                            .head()
                            .get(0))
                    .isEqualTo("HTTP/1.1 304 Not Modified");
            assertThat(client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n").head().get(0))
                    .isEqualTo("HTTP/1.1 200 OK");
        }
    }

    @Test
    void aClientMayWaitForTheUpstreamToWantItsBody() throws IOException, InterruptedException {
        upstream.script((request, connection) -> {
            // By then the body has come.
            ScriptedUpstream.write(
                    connection.getOutputStream(),
                    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            return true;
        });
        try (RawClient client = new RawClient(probe().port()).post("/x", "body")) {
            assertThat(client.head()).containsExactly("HTTP/1.1 100 Continue");
            assertThat(client.head().get(0)).isEqualTo("HTTP/1.1 200 OK");
            assertThat(client.bytes(2)).asString().isEqualTo("ok");
            client.post("/x", "more");
            assertThat(client.head()).containsExactly("HTTP/1.1 100 Continue");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate", "zstd"})
    void compressedStreamsAreReadOnTheSide(String encoding) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream packing = packing(encoding, packed)) {
            for (String event : List.of(TOKEN, TOKEN, DONE)) {
                packing.write(event.getBytes(StandardCharsets.UTF_8));
                packing.flush();
            }
        }
        byte[] bytes = packed.toByteArray();
        upstream.script((request, connection) -> {
            OutputStream out = connection.getOutputStream();
            ScriptedUpstream.write(
                    out,
                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: " + encoding
                            + "\r\nContent-Length: " + bytes.length + "\r\n\r\n");
            out.write(bytes);
            return true;
        });
        try (RawClient client = new RawClient(probe().port()).post(CHAT, ASK)) {
            client.head();
            assertThat(client.bytes(bytes.length)).isEqualTo(bytes);
        }
        RequestEvent event = Probes.event(publisher);
        assertThat(event.getTokenChunks()).isEqualTo(2);
        assertThat(event.getContentEncoding()).isEqualTo(encoding);
        assertThat(event.getMarks()).doesNotContain("unmeasured");
        assertThat(event.getOutcome()).isEqualTo(Outcome.OK);
    }

    private static OutputStream packing(String encoding, OutputStream to) throws IOException {
        return switch (encoding) {
            case "gzip" -> new GZIPOutputStream(to, 512, true);
            case "deflate" -> new DeflaterOutputStream(to, true);
            default -> new ZstdOutputStream(to);
        };
    }

    @Test
    void whatCannotBeReadPassesAndSaysSo() throws IOException, InterruptedException {
        byte[] bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
        upstream.script((request, connection) -> {
            String encoding = request.bodyText().contains("br") ? "br" : "gzip";
            ScriptedUpstream.write(
                    connection.getOutputStream(),
                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: " + encoding
                            + "\r\nContent-Length: 16\r\n\r\n");
            connection.getOutputStream().write(bytes);
            return true;
        });
        try (RawClient client = new RawClient(probe().port())) {
            for (String encoding : List.of("br", "no gzip")) {
                client.post(CHAT, "{\"model\":\"" + encoding + "\"}").head();
                assertThat(client.bytes(16)).isEqualTo(bytes);
            }
        }
        for (RequestEvent event : Probes.events(publisher, 2)) {
            assertThat(event.getOutcome()).isEqualTo(Outcome.OK);
            assertThat(event.getMarks()).containsExactly("unmeasured");
            assertThat(event.getTokenSource()).isEqualTo(TokenSource.UNKNOWN);
            assertThat(event.getOutputTokens()).isNull();
        }
        assertThat(metrics())
                .contains("inferwatch_proxy_unmeasured_answers_total{reason=\"encoding\"} 1.0")
                .contains("inferwatch_proxy_unmeasured_answers_total{reason=\"failed\"} 1.0")
                .contains("inferwatch_proxy_requests_total{outcome=\"ok\"} 2.0")
                .contains("inferwatch_probe_events_published_total 2.0");
    }

    @Test
    void aHeaderThatCannotBeUsedIsCountedByFieldAndFailsNothing() throws IOException, InterruptedException {
        try (RawClient client = new RawClient(probe().port())) {
            client.send("POST " + CHAT
                    + " HTTP/1.1\r\nHost: model\r\nX-Turn: first\r\nX-Slo-Ttft-Ms: -1\r\nContent-Length: "
                    + ASK.length() + "\r\n\r\n" + ASK);
            assertThat(client.head().get(0)).isEqualTo("HTTP/1.1 200 OK");
            assertThat(client.chunkedBody()).isEqualTo(TOKEN + TOKEN + DONE);
        }
        RequestEvent event = Probes.event(publisher);
        assertThat(event.getTurn()).isNull();
        assertThat(event.getSloTtftMicros()).isNull();
        assertThat(metrics())
                .contains("inferwatch_probe_headers_malformed_total{field=\"turn\"} 1.0")
                .contains("inferwatch_probe_headers_malformed_total{field=\"slo-ttft\"} 1.0")
                .contains("inferwatch_probe_headers_malformed_total{field=\"tenant\"} 0.0");
    }

    @Test
    void drainingLetsOpenStreamsEndAndNewOnesComeElsewhere() throws Exception {
        CountDownLatch drained = new CountDownLatch(1);
        upstream.script((request, connection) -> {
            ScriptedUpstream.write(connection.getOutputStream(), STREAM_HEAD + chunk(TOKEN));
            drained.await();
            ScriptedUpstream.write(connection.getOutputStream(), chunk(DONE) + LAST_CHUNK);
            return true;
        });
        try (RawClient client = new RawClient(probe().port()).post(CHAT, ASK)) {
            client.head();
            assertThat(client.chunk()).isEqualTo(TOKEN);
            Thread draining = new Thread(() -> {
                try {
                    assertThat(probe.drain(Duration.ZERO, Duration.ofSeconds(10)))
                            .isTrue();
                    drained.countDown();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            draining.start();
            await().until(() -> status("/readyz") == 503);
            await().until(() -> refuses(probe.port()));
            drained.countDown();
            assertThat(client.chunk()).isEqualTo(DONE);
            draining.join(10_000);
            assertThat(draining.isAlive()).isFalse();
        }
        assertThat(Probes.event(publisher).getOutcome()).isEqualTo(Outcome.OK);
    }

    @Test
    void whatIsOpenAtTheEndIsBrokenOffAndTold() throws IOException {
        CountDownLatch over = new CountDownLatch(1);
        upstream.script((request, connection) -> {
            ScriptedUpstream.write(connection.getOutputStream(), STREAM_HEAD + chunk(TOKEN));
            over.await();
            return false;
        });
        try (RawClient client = new RawClient(probe().port()).post(CHAT, ASK)) {
            client.head();
            client.chunk();
            probe.close();
            assertThatThrownBy(client::chunk).isInstanceOf(IOException.class);
        } finally {
            over.countDown();
        }
        RequestEvent event = Probes.event(publisher);
        assertThat(event.getOutcome()).isEqualTo(Outcome.SERVER_CANCEL);
        assertThat(event.getErrorType()).isEqualTo("proxy-shutdown");
    }

    @Test
    void aRequestThatIsNoneIsRefusedHere() throws IOException {
        try (RawClient client = new RawClient(probe().port()).send("nonsense\r\n\r\n")) {
            assertThat(client.head().get(0)).isEqualTo("HTTP/1.1 400 Bad Request");
            assertThat(client.rest()).isNotEmpty();
        }
        assertThat(upstream.requests()).isEmpty();
    }

    private String metrics() throws IOException, InterruptedException {
        return admin("/metrics").body();
    }

    private int status(String path) throws IOException, InterruptedException {
        return admin(path).statusCode();
    }

    private HttpResponse<String> admin(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + probe.adminPort() + path))
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    private static boolean refuses(int port) {
        try (RawClient client = new RawClient(port)) {
            return client == null;
        } catch (IOException e) {
            return true;
        }
    }

    private static String chunk(String text) {
        return Integer.toHexString(text.getBytes(StandardCharsets.UTF_8).length) + "\r\n" + text + "\r\n";
    }
}
