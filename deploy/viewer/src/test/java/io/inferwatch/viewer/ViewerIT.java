package io.inferwatch.viewer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferwatch.influx.InfluxClient;
import io.inferwatch.influx.InfluxConnection;
import io.inferwatch.influx.InfluxSetup;
import io.inferwatch.influx.InfluxWriter;
import io.inferwatch.servers.Availability;
import io.inferwatch.servers.InfluxProgram;
import io.inferwatch.servers.InfluxServer;
import io.inferwatch.servers.TestServers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ViewerIT {
    private static final long AT_SECONDS = 1_796_000_040;
    private static final String RANGE = "&from=1796000000000&to=1796000100000&points=100";

    private final HttpClient http = HttpClient.newHttpClient();
    private final ObjectMapper json = new ObjectMapper();

    private InfluxServer influx;
    private Viewer viewer;

    @BeforeAll
    void start() {
        Availability<InfluxProgram> program = TestServers.influx();
        assumeTrue(program.isFound(), program.reason());
        influx = InfluxServer.start(program.get(), InfluxServer.Options.temporary());
        InfluxConnection connection = InfluxConnection.of(influx.url());
        try (InfluxClient client = InfluxClient.open(connection)) {
            new InfluxSetup(client).run();
            assertThat(new InfluxWriter(client)
                            .write(
                                    "r1m",
                                    List.of(
                                            "request,view=model-version,model=a\\,b\\ c,version=v1 requests=5i,ttft_p99_seconds=0.5 "
                                                    + AT_SECONDS * 1_000_000,
                                            "request,view=model-version,model=d,version=v2 requests=7i,ttft_p99_seconds=0.25 "
                                                    + AT_SECONDS * 1_000_000))
                            .refused())
                    .isEmpty();
        }
        viewer = Viewer.start(connection, 0);
    }

    @AfterAll
    void stop() {
        if (viewer != null) {
            viewer.close();
        }
        if (influx != null) {
            influx.close();
        }
    }

    @Test
    void aQueryOfADashboardIsAnsweredWithTagsColumnsAndRows() throws Exception {
        JsonNode answer =
                read("/api/query?dashboard=inferwatch-fleet&ref=A&panel=" + panel("Requests by model") + RANGE);
        assertThat(answer.at("/series")).hasSize(2);
        assertThat(answer.at("/series/0/tags/model").asText()).isEqualTo("a,b c");
        assertThat(answer.at("/series/0/columns/1").asText()).isEqualTo("Requests");
        assertThat(answer.at("/series/0/rows/0/1").intValue()).isEqualTo(5);
        assertThat(answer.at("/series/1/rows/0/1").intValue()).isEqualTo(7);
    }

    @Test
    void aChoiceNarrowsIt() throws Exception {
        String query = "/api/query?dashboard=inferwatch-latency&ref=A&panel="
                + panel("inferwatch-latency", "P99 and its limits") + RANGE;
        assertThat(read(query).at("/series")).hasSize(2);
        assertThat(read(query + "&var-model=d").at("/series")).hasSize(1);
        assertThat(read(query + "&var-model=a%2Cb%20c&var-model=d").at("/series"))
                .hasSize(2);
        assertThat(read(query + "&var-model=.*").at("/series")).isEmpty();
    }

    @Test
    void variablesOfferWhatIsStored() throws Exception {
        JsonNode values = read("/api/variables?dashboard=inferwatch-latency");
        assertThat(values.get("model")).extracting(JsonNode::asText).containsExactly("a,b c", "d");
        assertThat(values.get("tenant")).isEmpty();
    }

    @Test
    void theFirstWindowOfAVersionIsMarked() throws Exception {
        JsonNode marks = read("/api/marks?dashboard=inferwatch-latency" + RANGE);
        assertThat(marks).extracting(mark -> mark.get("text").asText()).containsExactly("v1", "v2");
        assertThat(marks.at("/0/atMicros").longValue()).isEqualTo(AT_SECONDS * 1_000_000);
    }

    @Test
    void onlyTheDashboardsOwnQueriesAreAsked() throws Exception {
        assertThat(status("/api/query?q=DROP%20DATABASE%20inferwatch")).isEqualTo(400);
        assertThat(status("/api/query?dashboard=inferwatch-fleet&ref=Z&panel=1" + RANGE))
                .isEqualTo(404);
        assertThat(status("/api/query?dashboard=other&ref=A&panel=1" + RANGE)).isEqualTo(404);
        assertThat(status("/../../../../etc/passwd")).isEqualTo(404);
        assertThat(status("/Viewer.class")).isEqualTo(404);
        HttpResponse<String> posted = http.send(
                HttpRequest.newBuilder(uri("/api/dashboards"))
                        .POST(HttpRequest.BodyPublishers.ofString("x"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(posted.statusCode()).isEqualTo(405);
    }

    @Test
    void anotherHostsNameIsRefused() throws IOException {
        assertThat(statusLineForHost("evil.example:80")).contains("403");
        assertThat(statusLineForHost("localhost:" + uri("/").getPort())).contains("200");
    }

    @Test
    void thePageMayAskNobodyElse() throws Exception {
        HttpResponse<String> page =
                http.send(HttpRequest.newBuilder(uri("/")).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(page.headers().firstValue("Content-Security-Policy")).hasValueSatisfying(policy -> assertThat(policy)
                .contains("default-src 'none'", "connect-src 'self'", "script-src 'self'")
                .doesNotContain("unsafe", "*"));
        assertThat(page.body()).doesNotContain("http://", "https://");
        for (String file : List.of("/main.js", "/page.css", "/uPlot.esm.js", "/uPlot.min.css", "/icon.svg")) {
            assertThat(status(file)).as(file).isEqualTo(200);
        }
    }

    @Test
    void aTakenPortIsSaid() {
        int taken = uri("/").getPort();
        assertThatThrownBy(() -> Viewer.start(InfluxConnection.of(influx.url()), taken))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("port " + taken);
    }

    @Test
    void anInfluxDbThatIsDownIsSaid() throws Exception {
        try (Viewer lonely = Viewer.start(InfluxConnection.of("http://127.0.0.1:9"), 0)) {
            HttpResponse<String> answer = http.send(
                    HttpRequest.newBuilder(URI.create(lonely.url() + "api/variables?dashboard=inferwatch-latency"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(json.readTree(answer.body()).get("error").asText()).contains("does not answer");
        }
    }

    /** The JDK's client sets Host itself. */
    private String statusLineForHost(String host) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), uri("/").getPort())) {
            socket.getOutputStream()
                    .write(("GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
                    .readLine();
        }
    }

    private int panel(String title) throws Exception {
        return panel("inferwatch-fleet", title);
    }

    private int panel(String uid, String title) throws Exception {
        for (JsonNode panel : read("/api/dashboard?uid=" + uid).get("panels")) {
            if (panel.get("title").asText().equals(title)) {
                return panel.get("id").intValue();
            }
        }
        throw new AssertionError("no panel " + title);
    }

    private JsonNode read(String path) throws Exception {
        HttpResponse<String> answer =
                http.send(HttpRequest.newBuilder(uri(path)).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return json.readTree(answer.body());
    }

    private int status(String path) throws Exception {
        return http.send(HttpRequest.newBuilder(uri(path)).build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private URI uri(String path) {
        return URI.create(viewer.url().replaceAll("/$", "") + path);
    }
}
