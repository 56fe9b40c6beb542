package io.inferwatch.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TopicTest {
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
    void onlyRequestsAreStampedByTheBroker() {
        for (Topic topic : Topic.values()) {
            assertThat(topic.kafkaSettings().get("message.timestamp.type"))
                    .as(topic.topicName())
                    .isEqualTo(topic == Topic.REQUESTS ? "LogAppendTime" : "CreateTime");
        }
    }

    @Test
    void keepsWhatItsPromiseNeeds() {
        assertThat(Topic.ALERTS.kafkaSettings())
                .isEqualTo(Map.of("cleanup.policy", "compact", "message.timestamp.type", "CreateTime"));
        assertThat(Topic.REQUESTS.kafkaSettings())
                .isEqualTo(Map.of("retention.ms", "604800000", "message.timestamp.type", "LogAppendTime"));
        assertThat(Topic.HEALTH.kafkaSettings())
                .isEqualTo(Map.of("retention.ms", "86400000", "message.timestamp.type", "CreateTime"));
    }
}
