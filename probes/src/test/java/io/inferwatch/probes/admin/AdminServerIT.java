package io.inferwatch.probes.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AdminServerIT {
    private final HttpClient client = HttpClient.newHttpClient();
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Readiness readiness = new Readiness();
    private final AdminServer server = AdminServer.start(ListenAddress.parse("0"), registry, readiness);

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void showsCountersAsPrometheusText() throws IOException, InterruptedException {
        Counter requests = Counter.builder().name("requests").help("Requests.").register(registry);
        requests.inc(3);
        HttpResponse<String> page = get("/metrics");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/plain; version=0.0.4");
        assertThat(page.body().lines())
                .containsExactly(
                        "# HELP requests_total Requests.", "# TYPE requests_total counter", "requests_total 3.0");
    }

    @Test
    void isReadyOnlyBetweenStartAndDrain() throws IOException, InterruptedException {
        HttpResponse<String> starting = get("/readyz");
        readiness.ready();
        HttpResponse<String> ready = get("/readyz");
        readiness.unready("draining");
        HttpResponse<String> draining = get("/readyz");
        assertThat(starting.statusCode()).isEqualTo(503);
        assertThat(starting.body()).isEqualTo("starting\n");
        assertThat(ready.statusCode()).isEqualTo(200);
        assertThat(draining.statusCode()).isEqualTo(503);
        assertThat(draining.body()).isEqualTo("draining\n");
        assertThat(get("/livez").statusCode()).isEqualTo(200);
    }

    @Test
    void answersNothingElse() throws IOException, InterruptedException {
        assertThat(get("/").statusCode()).isEqualTo(404);
        assertThat(get("/metrics/x").statusCode()).isEqualTo(404);
        HttpRequest post = HttpRequest.newBuilder(uri("/metrics"))
                .POST(HttpRequest.BodyPublishers.ofString("x"))
                .build();
        assertThat(client.send(post, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(405);
    }

    @Test
    void aPortInUseIsABadSetting() {
        ListenAddress taken = new ListenAddress("127.0.0.1", server.port());
        assertThatThrownBy(() -> AdminServer.start(taken, registry, readiness))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("admin-listen: must be an address that is free on this host, found " + taken);
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(uri(path)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.port() + path);
    }
}
