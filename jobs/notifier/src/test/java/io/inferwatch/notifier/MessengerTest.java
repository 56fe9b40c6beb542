package io.inferwatch.notifier;

import static io.inferwatch.notifier.Alerts.START;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.inferwatch.schemas.Alert;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against a server that answers as it is told to. */
class MessengerTest {
    private static final Duration RESEND = Duration.ofSeconds(60);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final List<JsonNode> posts = new ArrayList<>();
    private final List<String> authorizations = new ArrayList<>();
    private final NotifierCounts counts = new NotifierCounts();
    private Function<JsonNode, Integer> answer = post -> 200;
    private Instant now = START;
    private final AlertBook book =
            new AlertBook(new NoticeWriter(Optional.empty(), Optional.empty()), Duration.ofHours(2), now);
    private HttpServer server = newServer();
    private Messenger messenger = messenger(URI.create("http://127.0.0.1:1"));

    private static HttpServer newServer() {
        try {
            return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @BeforeEach
    void start() {
        server.createContext("/prefix/api/v2/alerts", exchange -> {
            JsonNode post = JSON.readTree(exchange.getRequestBody());
            posts.add(post);
            authorizations.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            byte[] body = "\"not right\"".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(answer.apply(post), body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        messenger =
                messenger(URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/prefix"));
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void firesUntilFourTimesTheResendAndIsToldAgainEachMinute() throws Exception {
        hear(Alerts.firing("slo-burn", "a"));
        tellAfter(0);
        tellAfter(59);
        assertThat(posts).hasSize(1);
        JsonNode alert = posts.get(0).get(0);
        assertThat(alert.get("startsAt").asText()).isEqualTo("2026-11-30T12:00:00Z");
        assertThat(alert.get("endsAt").asText()).isEqualTo("2026-11-30T12:04:00Z");
        assertThat(alert.at("/labels/alertname").asText()).isEqualTo("slo-burn");
        assertThat(alert.has("generatorURL")).isFalse();
        assertThat(authorizations).containsExactly("Bearer x");
        tellAfter(1);
        assertThat(posts).hasSize(2);
        assertThat(posts.get(1).get(0).get("startsAt")).isEqualTo(alert.get("startsAt"));
        assertThat(posts.get(1).get(0).get("endsAt").asText()).isEqualTo("2026-11-30T12:05:00Z");
        assertThat(counts.taken.sum()).isEqualTo(2);
    }

    @Test
    void anEndIsToldAtOnceAndAgainForAQuarterOfAnHour() throws Exception {
        hear(Alerts.firing("slo-burn", "a"));
        tellAfter(0);
        hear(Alerts.resolved("slo-burn", "a", now.plusSeconds(5)));
        tellAfter(5);
        assertThat(posts).hasSize(2);
        assertThat(posts.get(1).get(0).get("endsAt").asText()).isEqualTo("2026-11-30T12:00:05Z");
        for (int second = 0; second < 1_200; second++) {
            tellAfter(1);
        }
        assertThat(posts).hasSize(2 + 14);
    }

    /** Of 100 alerts three are not right: all others are taken, each of the three is refused once, until it changes. */
    @Test
    void oneThatIsNotRightHoldsUpNoOther() throws Exception {
        answer = post -> {
            for (JsonNode alert : post) {
                if (alert.at("/labels/slo").asText().startsWith("bad")) {
                    return 400;
                }
            }
            return 200;
        };
        for (int i = 0; i < 97; i++) {
            hear(Alerts.firing("slo-burn", "good" + i));
        }
        for (int i = 0; i < 3; i++) {
            hear(Alerts.firing("slo-burn", "bad" + i));
        }
        tellAfter(0);
        assertThat(counts.taken.sum()).isEqualTo(97);
        assertThat(counts.refused.sum()).isEqualTo(3);
        int before = posts.size();
        tellAfter(60);
        assertThat(posts.subList(before, posts.size()).stream()
                        .mapToInt(JsonNode::size)
                        .sum())
                .isEqualTo(97);
        assertThat(counts.refused.sum()).isEqualTo(3);
        hear(Alerts.resolved("slo-burn", "bad0", now));
        tellAfter(1);
        assertThat(counts.refused.sum()).isEqualTo(4);
    }

    /** An hour of refused service: few tries, and then the newest state alone. */
    @Test
    void theNewestStateWinsHoweverLongNobodyAnswers() throws Exception {
        answer = post -> 500;
        hear(Alerts.firing("slo-burn", "a"));
        for (int second = 0; second < 3_600; second++) {
            tellAfter(1);
        }
        assertThat(counts.failedPosts.sum()).isBetween(120L, 250L);
        assertThat(counts.taken.sum()).isZero();
        hear(Alerts.resolved("slo-burn", "a", now));
        answer = post -> 200;
        posts.clear();
        for (int second = 0; second < 31; second++) {
            tellAfter(1);
        }
        assertThat(posts).singleElement().satisfies(post -> {
            assertThat(post).hasSize(1);
            assertThat(post.get(0).get("endsAt").asText()).isEqualTo("2026-11-30T13:00:00Z");
        });
    }

    @Test
    void whatDoesNotAnswerIsTriedAgain() throws Exception {
        messenger = messenger(URI.create("http://127.0.0.1:1"));
        hear(Alerts.firing("slo-burn", "a"));
        tellAfter(0);
        assertThat(counts.failedPosts.sum()).isEqualTo(1);
        tellAfter(1);
        assertThat(counts.failedPosts.sum()).isEqualTo(2);
    }

    private Messenger messenger(URI target) {
        AlertmanagerClient client = new AlertmanagerClient(target, Optional.of("Bearer x"), RESEND.multipliedBy(4));
        return new Messenger(book, client, RESEND, counts, new SplittableRandom(1));
    }

    private void hear(Alert alert) {
        book.hear(alert.getFingerprint(), alert, now);
    }

    private void tellAfter(int seconds) throws InterruptedException {
        now = now.plusSeconds(seconds);
        messenger.tell(now);
    }
}
