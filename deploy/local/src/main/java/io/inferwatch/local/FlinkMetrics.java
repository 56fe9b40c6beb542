package io.inferwatch.local;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Metrics of a job, asked from Flink's web interface. */
final class FlinkMetrics {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private FlinkMetrics() {}

    /** The sum over all operators and subtasks that have a metric of that name. */
    static long sum(String url, String job, String metricName) {
        double sum = 0;
        for (JsonNode vertex : get(url + "/jobs/" + job).path("vertices")) {
            String metrics =
                    url + "/jobs/" + job + "/vertices/" + vertex.path("id").asText() + "/subtasks/metrics";
            for (JsonNode metric : get(metrics)) {
                String id = metric.path("id").asText();
                if (id.endsWith("." + metricName)) {
                    String query = "?agg=sum&get=" + URLEncoder.encode(id, StandardCharsets.UTF_8);
                    for (JsonNode value : get(metrics + query)) {
                        sum += value.path("sum").asDouble();
                    }
                }
            }
        }
        return Math.round(sum);
    }

    /** A metric of the job as a whole. */
    static long ofJob(String url, String job, String metricName) {
        JsonNode value =
                get(url + "/jobs/" + job + "/metrics?get=" + metricName).path(0).path("value");
        return value.isMissingNode() ? 0 : Math.round(value.asDouble());
    }

    private static JsonNode get(String url) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .timeout(Duration.ofSeconds(10))
                .build();
        try {
            HttpResponse<String> response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw new IllegalStateException("Flink at " + url + ": status " + response.statusCode());
            }
            return JSON.readTree(response.body());
        } catch (IOException e) {
            throw new IllegalStateException("Flink at " + url + " does not answer: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while Flink was asked", e);
        }
    }
}
