package io.inferwatch.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InfluxServerIT {
    private final Availability<InfluxProgram> influx = TestServers.influx();

    @Test
    void keepsWhatItAcknowledgedThroughStopAndKill(@TempDir Path data) throws Exception {
        assumeTrue(influx.isFound(), influx.reason());
        try (InfluxServer server = InfluxServer.start(influx.get(), InfluxServer.Options.in(data))) {
            String address = server.url();
            assertThat(post(server, "/query", "q=CREATE DATABASE d", null)).isEqualTo(200);
            assertThat(post(server, "/write?db=d", "m v=1 1", null)).isEqualTo(204);
            server.stop();
            server.restart();
            assertThat(post(server, "/write?db=d", "m v=2 2", null)).isEqualTo(204);
            server.kill();
            assertThat(server.pid()).isEmpty();
            server.restart();
            assertThat(server.url()).isEqualTo(address);
            assertThat(query(server)).contains("[[\"1970-01-01T00:00:00Z\",2,3]]");
        }
        try (InfluxServer again = InfluxServer.start(influx.get(), InfluxServer.Options.in(data))) {
            assertThat(query(again)).contains("[[\"1970-01-01T00:00:00Z\",2,3]]");
        }
    }

    @Test
    void letsOnlyTheAdminInWhereAuthenticationIsOn(@TempDir Path data) throws Exception {
        assumeTrue(influx.isFound(), influx.reason());
        InfluxServer.Options options = InfluxServer.Options.in(data).withAdmin("root", "it's \\ a \"secret\"");
        for (int start = 0; start < 2; start++) {
            try (InfluxServer server = InfluxServer.start(influx.get(), options)) {
                assertThat(post(server, "/query", "q=CREATE DATABASE d", null)).isEqualTo(401);
                assertThat(post(server, "/query", "q=CREATE DATABASE d", "root:wrong"))
                        .isEqualTo(401);
                assertThat(post(server, "/query", "q=CREATE DATABASE d", "root:it's \\ a \"secret\""))
                        .isEqualTo(200);
            }
        }
        assertThatThrownBy(() -> InfluxServer.start(
                        influx.get(), InfluxServer.Options.in(data).withAdmin("root", "other")))
                .isInstanceOf(ServerStartException.class)
                .hasMessageContaining("account root")
                .hasMessageNotContaining("other");
    }

    @Test
    void aFailedStartShowsTheEndOfTheLog(@TempDir Path data) throws IOException {
        assumeTrue(influx.isFound(), influx.reason());
        Files.writeString(data.resolve("meta"), "a file where a directory should be");
        assertThatThrownBy(() -> InfluxServer.start(influx.get(), InfluxServer.Options.in(data)))
                .isInstanceOf(ServerStartException.class)
                .hasMessageContaining("ended with exit status 1")
                .hasMessageContaining("meta: not a directory");
    }

    @Test
    void aTakenPortIsSaidSo(@TempDir Path data) throws IOException {
        assumeTrue(influx.isFound(), influx.reason());
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InfluxServer.Options options = InfluxServer.Options.in(data).withPort(taken.getLocalPort());
            assertThatThrownBy(() -> InfluxServer.start(influx.get(), options))
                    .isInstanceOf(ServerStartException.class)
                    .hasMessageContaining("port " + taken.getLocalPort() + " on loopback must be free");
        }
    }

    private static int post(InfluxServer server, String path, String body, @Nullable String account) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.url() + path))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(path.startsWith("/query") ? body.replace(" ", "%20") : body));
        if (account != null) {
            request.header(
                    "Authorization",
                    "Basic " + Base64.getEncoder().encodeToString(account.getBytes(StandardCharsets.UTF_8)));
        }
        return HttpClient.newHttpClient()
                .send(request.build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private static String query(InfluxServer server) throws Exception {
        URI uri = URI.create(server.url() + "/query?db=d&q=SELECT%20count(v),sum(v)%20FROM%20m");
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
