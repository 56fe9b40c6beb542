package io.inferwatch.probes.publish;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;

class DeliveryFailureTest {
    @Test
    void onlyWhatIsWrongWithTheRecordItselfIsFinal() {
        assertThat(DeliveryFailure.of(new RecordTooLargeException("2 MiB"))).isEqualTo(DeliveryFailure.REFUSED);
        assertThat(DeliveryFailure.of(new InvalidTimestampException("year 57613")))
                .isEqualTo(DeliveryFailure.REFUSED);
        assertThat(DeliveryFailure.of(new TimeoutException("away"))).isEqualTo(DeliveryFailure.AWAY);
        assertThat(DeliveryFailure.of(new UnknownTopicOrPartitionException("no topic yet")))
                .isEqualTo(DeliveryFailure.AWAY);
        assertThat(DeliveryFailure.of(new TopicAuthorizationException("not yet allowed")))
                .isEqualTo(DeliveryFailure.AWAY);
        assertThat(DeliveryFailure.of(new SaslAuthenticationException("password being changed")))
                .isEqualTo(DeliveryFailure.AWAY);
        assertThat(DeliveryFailure.of(new KafkaException("something new"))).isEqualTo(DeliveryFailure.AWAY);
    }
}
