package io.inferwatch.notifier;

import java.io.IOException;
import java.io.Reader;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The notifier's options; to be mixed in. */
final class NotifierOptions {
    private static final Duration LEAST_RESEND = Duration.ofSeconds(1);
    private static final Duration MOST_RESEND = Duration.ofHours(1);

    @Option(
            names = "--alertmanager",
            paramLabel = "URL",
            required = true,
            description = "Alertmanager; give it once for each instance of a cluster, and no load balancer.")
    private List<String> alertmanagers = List.of();

    @Option(
            names = "--authorization-file",
            paramLabel = "FILE",
            description = "File with the value of the Authorization header that Alertmanager asks for.")
    private @Nullable Path authorizationFile;

    @Option(
            names = "--resend",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description =
                    "How often Alertmanager is told of what fires; it forgets what it was not told of for four times as long."
                            + " Default: ${DEFAULT-VALUE}")
    private long resendSeconds = 60;

    @Option(
            names = "--stale-after",
            paramLabel = "SECONDS",
            defaultValue = "180",
            description =
                    "How long the jobs may be silent until what fires is marked as stale. Default: ${DEFAULT-VALUE}")
    private long staleAfterSeconds = 180;

    @Option(
            names = "--dashboards",
            paramLabel = "URL",
            description = "Address of Grafana, or of the local page, that alerts link to.")
    private @Nullable String dashboards;

    @Option(names = "--runbooks", paramLabel = "URL", description = "Address of the runbook pages that alerts link to.")
    private @Nullable String runbooks;

    @Option(
            names = "--bootstrap-servers",
            paramLabel = "HOST:PORT,...",
            description = "Kafka brokers. Default: ${DEFAULT-VALUE}",
            defaultValue = "localhost:9092")
    private String bootstrapServers = "localhost:9092";

    @Option(
            names = "--kafka-config",
            paramLabel = "FILE",
            description = "Properties file with further settings of the Kafka client, such as TLS and SASL")
    private @Nullable Path kafkaConfig;

    /**
     * The options, checked.
     *
     * @param alertmanagers one for each instance
     * @param authorization header of each post
     * @param kafka settings of the consumer
     */
    record Checked(
            List<URI> alertmanagers,
            Optional<String> authorization,
            Duration resend,
            Duration staleAfter,
            NoticeWriter writer,
            Properties kafka) {}

    /** Checks all of them; throws {@link InvalidOptionsException} with every problem. */
    Checked check() {
        List<String> problems = new ArrayList<>();
        List<URI> targets = new ArrayList<>();
        alertmanagers.forEach(text -> url("--alertmanager", text, problems).ifPresent(targets::add));
        if (targets.stream().distinct().count() < targets.size()) {
            problems.add("--alertmanager: must be different instances, found one twice");
        }
        Duration resend = seconds("--resend", resendSeconds, problems);
        Duration staleAfter = seconds("--stale-after", staleAfterSeconds, problems);
        Optional<URI> dashboardsUrl =
                Optional.ofNullable(dashboards).flatMap(text -> url("--dashboards", text, problems));
        Optional<URI> runbooksUrl = Optional.ofNullable(runbooks).flatMap(text -> url("--runbooks", text, problems));
        Optional<String> authorization = authorization(problems);
        Properties kafka = kafka(problems);
        if (!problems.isEmpty()) {
            throw new InvalidOptionsException(problems);
        }
        return new Checked(
                targets, authorization, resend, staleAfter, new NoticeWriter(dashboardsUrl, runbooksUrl), kafka);
    }

    String bootstrapServers() {
        return bootstrapServers;
    }

    private static Duration seconds(String option, long seconds, List<String> problems) {
        Duration duration = Duration.ofSeconds(Math.max(0, Math.min(seconds, Integer.MAX_VALUE)));
        if (duration.compareTo(LEAST_RESEND) < 0 || duration.compareTo(MOST_RESEND) > 0) {
            problems.add(option + ": must be from 1 to 3600, found " + seconds);
        }
        return duration;
    }

    private static Optional<URI> url(String option, String text, List<String> problems) {
        try {
            URI uri = new URI(text);
            if (uri.getHost() != null && List.of("http", "https").contains(uri.getScheme())) {
                return Optional.of(uri);
            }
        } catch (URISyntaxException e) {
            // Told below, as any other text that is no address.
        }
        problems.add(option + ": must be an address such as http://localhost:9093, found '" + text + "'");
        return Optional.empty();
    }

    private Optional<String> authorization(List<String> problems) {
        if (authorizationFile == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(Files.readString(authorizationFile).strip());
        } catch (IOException e) {
            problems.add("--authorization-file: must be a readable file, found "
                    + e.getClass().getSimpleName());
            return Optional.empty();
        }
    }

    private Properties kafka(List<String> problems) {
        Properties properties = new Properties();
        if (kafkaConfig != null) {
            try (Reader reader = Files.newBufferedReader(kafkaConfig, StandardCharsets.UTF_8)) {
                properties.load(reader);
            } catch (IOException | IllegalArgumentException e) {
                problems.add("--kafka-config: must be a readable properties file, found " + kafkaConfig + ": "
                        + e.getClass().getSimpleName());
            }
        }
        properties.put("bootstrap.servers", bootstrapServers);
        properties.put("enable.auto.commit", "false");
        properties.put("auto.offset.reset", "earliest");
        properties.put("allow.auto.create.topics", "false");
        properties.putIfAbsent("default.api.timeout.ms", "10000");
        properties.putIfAbsent("request.timeout.ms", "10000");
        return properties;
    }
}
