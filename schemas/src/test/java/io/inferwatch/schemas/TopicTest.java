package io.inferwatch.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TopicTest {
    private static final Set<Topic> FROM_PROBES =
            Set.of(Topic.REQUESTS, Topic.ENGINE, Topic.GPU, Topic.KERNELS, Topic.OPERATORS);

    @ParameterizedTest
    @EnumSource(Topic.class)
    void isFoundByItsName(Topic topic) {
        assertThat(Topic.ofName(topic.topicName())).isSameAs(topic);
        assertThat(topic.topicName()).matches("inferwatch\\.[a-z-]+");
    }

    @Test
    void otherNamesAreRefused() {
        assertThatThrownBy(() -> Topic.ofName("requests"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("topic: must be one of Inferwatch's, found 'requests'");
    }

    @Test
    void onlyWhatProbesSendIsStampedByTheBroker() {
        for (Topic topic : Topic.values()) {
            assertThat(topic.kafkaSettings().get("message.timestamp.type"))
                    .as(topic.topicName())
                    .isEqualTo(FROM_PROBES.contains(topic) ? "LogAppendTime" : "CreateTime");
        }
    }

    @Test
    void anEncodedEventTellsItsTopic() {
        EventCodec codec = new EventCodec();
        RandomEvents events = new RandomEvents(1);
        assertThat(Topic.of(codec.encode(events.next(EngineSample.getClassSchema()))))
                .isSameAs(Topic.ENGINE);
        assertThat(Topic.of(codec.encode(events.next(GpuSample.getClassSchema()))))
                .isSameAs(Topic.GPU);
        assertThat(Topic.of(codec.encode(events.next(KernelProfile.getClassSchema()))))
                .isSameAs(Topic.KERNELS);
        assertThat(Topic.of(codec.encode(events.next(OperatorMetric.getClassSchema()))))
                .isSameAs(Topic.OPERATORS);
        assertThat(Topic.of(codec.encode(events.next(RequestEvent.getClassSchema()))))
                .isSameAs(Topic.REQUESTS);
        assertThat(Topic.of(new byte[] {1, 2, 3})).isSameAs(Topic.REQUESTS);
    }

    @Test
    void keepsWhatItsPromiseNeeds() {
        assertThat(Topic.ALERTS.kafkaSettings())
                .isEqualTo(Map.of("cleanup.policy", "compact", "message.timestamp.type", "CreateTime"));
        assertThat(Topic.REQUESTS.kafkaSettings())
                .isEqualTo(Map.of("retention.ms", "604800000", "message.timestamp.type", "LogAppendTime"));
        assertThat(Topic.CONFIG.kafkaSettings())
                .isEqualTo(Map.of("cleanup.policy", "compact", "message.timestamp.type", "CreateTime"));
        assertThat(Topic.RESULTS.kafkaSettings())
                .isEqualTo(Map.of("retention.ms", "604800000", "message.timestamp.type", "CreateTime"));
        assertThat(Topic.HEALTH.kafkaSettings())
                .isEqualTo(Map.of("retention.ms", "86400000", "message.timestamp.type", "CreateTime"));
    }
}
