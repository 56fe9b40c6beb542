package io.inferwatch.probes.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.probes.EventList;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Chunks pass as the upstream made them, on every transport, and the connections stay usable after their last. */
class ChunkBypassIT {
    private static final String HEAD =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    private static final String TOKEN = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n";
    private static final String CHUNKS = "000" + Integer.toHexString(TOKEN.length()) + ";name=value\r\n" + TOKEN
            + "\r\n" + Integer.toHexString(TOKEN.length()).toUpperCase(Locale.ROOT) + "\r\n" + TOKEN + "\r\n";
    private static final String BODY = "{\"stream\":true}";

    @TempDir
    private Path directory;

    private final EventList publisher = new EventList();
    private final ScriptedUpstream upstream = new ScriptedUpstream(ScriptedUpstream.always(
            (HEAD + CHUNKS + "000;last\r\nServer-Timing: queue;dur=1.5\r\n\r\n").getBytes(StandardCharsets.UTF_8)));

    @AfterEach
    void stop() throws IOException {
        upstream.close();
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void chunksPassAsTheyCame(Transport transport) throws IOException {
        Assumptions.assumeTrue(transport != Transport.EPOLL || Epoll.isAvailable());
        ProxySettings settings = Probes.settings(upstream.uri(), Duration.ofSeconds(30));
        try (ProxyServer server = ProxyServer.start(settings, transport, request -> RelayListener.DEAF);
                RawClient client = new RawClient(server.port())) {
            for (int i = 0; i < 3; i++) {
                client.post("/v1/chat/completions", BODY);
                String expected = HEAD + CHUNKS + "0\r\nServer-Timing: queue;dur=1.5\r\n\r\n";
                assertThat(client.bytes(expected.length())).asString().isEqualTo(expected);
            }
        }
        assertThat(upstream.connections()).isEqualTo(1);
    }

    @Test
    void chunksCutAnywhereAreMeasuredAndSoAreTheirTrailers() throws IOException {
        upstream.script((request, connection) -> {
            // A write for each byte.
            for (byte b :
                    (HEAD + CHUNKS + "0\r\nServer-Timing: queue;dur=1.5\r\n\r\n").getBytes(StandardCharsets.UTF_8)) {
                connection.getOutputStream().write(b);
            }
            return true;
        });
        try (ProxyProbe probe = Probes.start(upstream.uri(), publisher, directory);
                RawClient client = new RawClient(probe.port())) {
            client.post("/v1/chat/completions", BODY);
            assertThat(client.head()).contains("Transfer-Encoding: chunked");
            String expected = CHUNKS + "0\r\nServer-Timing: queue;dur=1.5\r\n\r\n";
            assertThat(client.bytes(expected.length())).asString().isEqualTo(expected);
        }
        RequestEvent event = Probes.event(publisher);
        assertThat(event.getTokenChunks()).isEqualTo(2);
        assertThat(event.getQueueMicros()).isEqualTo(1_500);
    }

    @Test
    void aBodyThatBreaksItsFramingBreaksOffForTheClientToo() throws IOException, InterruptedException {
        CountDownLatch first = new CountDownLatch(1);
        upstream.script((request, connection) -> {
            ScriptedUpstream.write(connection.getOutputStream(), HEAD + CHUNKS);
            first.await(10, TimeUnit.SECONDS);
            ScriptedUpstream.write(connection.getOutputStream(), "5\r\nhello!\r\n");
            return true;
        });
        try (ProxyProbe probe = Probes.start(upstream.uri(), publisher, directory);
                RawClient client = new RawClient(probe.port())) {
            client.post("/v1/chat/completions", BODY).head();
            assertThat(client.bytes(CHUNKS.length())).asString().isEqualTo(CHUNKS);
            first.countDown();
            assertThat(client.rest()).asString().doesNotContain("!");
        }
        RequestEvent event = Probes.event(publisher);
        assertThat(event.getOutcome()).isEqualTo(Outcome.TRUNCATED);
        assertThat(event.getErrorType()).isEqualTo("upstream-cut");
    }
}
