package io.inferwatch.local.bench;

import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Counts what the consumers of this JVM have polled, whoever owns them; once a batch, so that counting costs nothing. */
public final class PolledRecords implements ConsumerInterceptor<Object, Object> {
    private static final LongAdder POLLED = new LongAdder();

    /** Called by Kafka. */
    public PolledRecords() {}

    static long total() {
        return POLLED.sum();
    }

    @Override
    public ConsumerRecords<Object, Object> onConsume(ConsumerRecords<Object, Object> records) {
        POLLED.add(records.count());
        return records;
    }

    @Override
    public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

    @Override
    public void close() {}

    @Override
    public void configure(Map<String, ?> settings) {}
}
