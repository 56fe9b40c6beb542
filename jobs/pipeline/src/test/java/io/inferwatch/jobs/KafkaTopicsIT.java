package io.inferwatch.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inferwatch.schemas.Topic;
import io.inferwatch.servers.KafkaBroker;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class KafkaTopicsIT {
    @Test
    void makesWhatIsMissingAndSaysWhatDiffers() throws Exception {
        try (KafkaBroker broker = KafkaBroker.start()) {
            String servers = "--bootstrap-servers=" + broker.bootstrapServers();
            assertThat(lines(run(0, servers, "--partitions=4", "--replication=1", "--dry-run")))
                    .hasSize(Topic.values().length)
                    .allMatch(line -> line.startsWith("missing"));
            try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
                assertThat(admin.listTopics().names().get()).isEmpty();

                broker.createTopic(Topic.REQUESTS.topicName(), 2, Map.of("retention.ms", "1000"));
                List<String> made = lines(run(0, servers, "--partitions=4", "--replication=1"));
                assertThat(made)
                        .contains("differs    inferwatch.requests: partitions 4, found 2;"
                                + " message.timestamp.type=LogAppendTime, found CreateTime;"
                                + " retention.ms=604800000, found 1000")
                        .contains("made       inferwatch.alerts: partitions 4, replication 1, cleanup.policy=compact, "
                                + "message.timestamp.type=CreateTime, min.insync.replicas=1");
                assertThat(made.stream().filter(line -> line.startsWith("made")))
                        .hasSize(Topic.values().length - 1);

                // The broker says so shortly before it knows them itself.
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> admin.listTopics().names().get().size() == Topic.values().length);
                assertThat(admin.describeTopics(List.of("inferwatch.windows"))
                                .allTopicNames()
                                .get()
                                .get("inferwatch.windows")
                                .partitions())
                        .hasSize(4);
                ConfigResource alerts = new ConfigResource(ConfigResource.Type.TOPIC, "inferwatch.alerts");
                assertThat(admin.describeConfigs(List.of(alerts))
                                .all()
                                .get()
                                .get(alerts)
                                .get("cleanup.policy")
                                .value())
                        .isEqualTo("compact");
                // What differs is left as it was.
                ConfigResource requests = new ConfigResource(ConfigResource.Type.TOPIC, "inferwatch.requests");
                assertThat(admin.describeConfigs(List.of(requests))
                                .all()
                                .get()
                                .get(requests)
                                .get("retention.ms")
                                .value())
                        .isEqualTo("1000");
            }
            assertThat(lines(run(0, servers, "--partitions=4", "--replication=1")))
                    .filteredOn(line -> line.startsWith("was there"))
                    .hasSize(Topic.values().length - 1);
        }
    }

    @Test
    void whatIsWrongEndsWithStatus2() {
        assertThat(run(2, "--partitions=0")).contains("--partitions: must be from 1 to 720, found 0");
        assertThat(run(2, "--bootstrap-servers=nonsense"))
                .contains("--bootstrap-servers: must be a reachable Kafka, found nonsense");
        try (KafkaBroker broker = KafkaBroker.start()) {
            assertThat(run(2, "--bootstrap-servers=" + broker.bootstrapServers(), "--replication=2"))
                    .contains("--bootstrap-servers: must be a Kafka that makes topics")
                    .contains("replication");
        }
    }

    private static List<String> lines(String output) {
        return Stream.of(output.split("\n")).skip(1).map(String::strip).toList();
    }

    private static String run(int status, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int found = new CommandLine(new SetupKafkaCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
        assertThat(found).as(out + "" + err).isEqualTo(status);
        return status == 0 ? out.toString() : err.toString();
    }
}
