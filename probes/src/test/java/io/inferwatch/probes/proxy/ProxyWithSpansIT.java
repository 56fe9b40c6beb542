package io.inferwatch.probes.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inferwatch.probes.EventList;
import io.inferwatch.probes.otlp.Exporters;
import io.inferwatch.probes.otlp.OtlpProbe;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Source;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The proxy and the server's spans in one process: a request is one event. */
class ProxyWithSpansIT {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String CALLER = "b7ad6b7169203331";
    private static final String ASK = "{\"model\":\"m\",\"messages\":[]}";
    private static final String ANSWER = "{\"id\":\"chatcmpl-1\",\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":"
            + "{\"content\":\"a\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1}}";

    @TempDir
    private Path directory;

    private final EventList publisher = new EventList();
    private final ScriptedUpstream upstream = new ScriptedUpstream(
            ScriptedUpstream.always(("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                            + ANSWER.length() + "\r\n\r\n" + ANSWER)
                    .getBytes(StandardCharsets.UTF_8)));
    private ProxyProbe probe;
    private OtlpProbe otlp;

    @BeforeEach
    void start() {
        probe = Probes.startWithOtlp(upstream.uri(), publisher, directory);
        otlp = probe.otlp().orElseThrow();
    }

    @AfterEach
    void stop() throws IOException {
        probe.close();
        upstream.close();
    }

    @Test
    void aRequestIsOneEventWithBothSidesFacts() throws IOException {
        Instant start = Instant.now();
        ask("traceparent: 00-" + TRACE + "-" + CALLER + "-01\r\n");
        assertThat(Exporters.sendVllm(Exporters.grpc(otlp.grpcPort(), "none"), "any", TRACE, CALLER, start))
                .isTrue();
        RequestEvent event = Probes.event(publisher);
        assertThat(event.getSource()).isEqualTo(Source.PROXY);
        assertThat(event.getReplica()).isEqualTo("chat-0");
        assertThat(event.getPromptTokens()).as("measured").isEqualTo(3);
        assertThat(event.getHttpStatus()).as("measured").isEqualTo(200);
        assertThat(event.getQueueMicros()).as("told").isEqualTo(50_000);
        assertThat(event.getEngineTtftMicros()).as("told").isEqualTo(250_000);
        probe.close();
        assertThat(publisher.events()).hasSize(1);
    }

    @Test
    void eachSideAloneIsPublishedAfterAWhile() throws IOException {
        ask("traceparent: 00-" + TRACE + "-" + CALLER + "-01\r\n");
        String other = TRACE.replace('0', '1');
        assertThat(Exporters.sendVllm(Exporters.http(otlp.httpPort(), "none"), "any", other, CALLER, Instant.now()))
                .isTrue();
        await().until(() -> publisher.events().size() == 2);
        assertThat(publisher.events())
                .extracting(RequestEvent::getSource)
                .containsExactlyInAnyOrder(Source.PROXY, Source.OTLP);
        assertThat(publisher.events()).extracting(RequestEvent::getReplica).containsOnly("chat-0");
    }

    private void ask(String header) throws IOException {
        try (RawClient client = new RawClient(probe.port())) {
            client.send("POST /v1/chat/completions HTTP/1.1\r\nHost: model\r\n" + header + "Content-Length: "
                    + ASK.length() + "\r\n\r\n" + ASK);
            assertThat(client.head().get(0)).isEqualTo("HTTP/1.1 200 OK");
        }
    }
}
