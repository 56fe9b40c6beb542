package io.inferwatch.notifier;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Posts alerts to one Alertmanager's interface of version 2. What it did not take by then is over after ten seconds. Thread safe. */
final class AlertmanagerClient {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int SHOWN = 300;

    private final URI alerts;
    private final Optional<String> authorization;
    private final Duration lease;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();

    /** What it answered. */
    sealed interface Answer {
        /** All were taken. */
        record Taken() implements Answer {}

        /** Some are not right; the right ones of them were taken. */
        record Refused(String why) implements Answer {}

        /** Nobody knows what it has taken. */
        record Failed(String why) implements Answer {}
    }

    /**
     * A client.
     *
     * @param base address of the Alertmanager, with its path prefix if it has one
     * @param authorization header, if it asks for one
     * @param lease how long an alert fires without being told again
     */
    AlertmanagerClient(URI base, Optional<String> authorization, Duration lease) {
        String text = base.toString();
        this.alerts = URI.create((text.endsWith("/") ? text : text + "/") + "api/v2/alerts");
        this.authorization = authorization;
        this.lease = lease;
    }

    Answer post(List<Notice> notices, Instant now) throws InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(alerts)
                .timeout(PATIENCE)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json(notices, now)));
        authorization.ifPresent(value -> request.header("Authorization", value));
        try {
            HttpResponse<String> response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            String body = response.body().strip();
            String shown = "status " + response.statusCode() + ": " + body.substring(0, Math.min(SHOWN, body.length()));
            return switch (response.statusCode()) {
                case 200 -> new Answer.Taken();
                case 400 -> new Answer.Refused(shown);
                default -> new Answer.Failed(shown);
            };
        } catch (IOException e) {
            return new Answer.Failed(e.getClass().getSimpleName());
        }
    }

    /** What fires is said to end in a while, what has ended is said to have. */
    private String json(List<Notice> notices, Instant now) {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        for (Notice notice : notices) {
            ObjectNode alert = array.addObject();
            ObjectNode labels = alert.putObject("labels");
            notice.labels().forEach(labels::put);
            ObjectNode annotations = alert.putObject("annotations");
            notice.annotations().forEach(annotations::put);
            Instant endedAt = notice.endedAt();
            alert.put("startsAt", notice.startsAt().toString());
            alert.put("endsAt", (endedAt == null ? now.plus(lease) : endedAt).toString());
            if (!notice.generatorUrl().isEmpty()) {
                alert.put("generatorURL", notice.generatorUrl());
            }
        }
        return array.toString();
    }

    @Override
    public String toString() {
        return alerts.toString();
    }
}
