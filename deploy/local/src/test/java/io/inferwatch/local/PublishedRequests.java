package io.inferwatch.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Topic;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.specific.SpecificRecord;

/** The requests in Kafka. */
final class PublishedRequests {
    private PublishedRequests() {}

    /** Those of a replay by the row that they were recorded in; one that was published twice must be the same both times. */
    static Map<Long, RequestEvent> byRow(String bootstrapServers, String instance) {
        Map<Long, RequestEvent> events = new HashMap<>();
        for (SpecificRecord record : TopicContents.of(bootstrapServers, Topic.REQUESTS)) {
            if (record instanceof RequestEvent event && event.getStream().startsWith(instance + "/")) {
                RequestEvent before = events.put(event.getRow(), event);
                assertThat(before == null || before.equals(event))
                        .as("row %s twice, but not the same", event.getRow())
                        .isTrue();
            }
        }
        return events;
    }
}
