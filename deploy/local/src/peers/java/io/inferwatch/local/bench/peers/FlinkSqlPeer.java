package io.inferwatch.local.bench.peers;

import io.inferwatch.local.bench.PipelineChild;
import io.inferwatch.local.bench.PolledRecords;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Topic;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Flink SQL with its own functions: TTFT, TPOT and E2E by replica in ten-second windows (TUMBLE), each PERCENTILE at 0.5, 0.99 and 0.999, which
 * keeps all values; parallelism 2, hashmap state, checkpoints every five seconds, results discarded. No other view, metric, screen or late event. Rows come
 * from the same decoder as the other peer's.
 */
public final class FlinkSqlPeer implements PipelineChild.Peer {
    /** Made by name. */
    public FlinkSqlPeer() {}

    @Override
    public void run(PipelineChild.Task task) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(CoreOptions.DEFAULT_PARALLELISM, 2);
        configuration.set(CoreOptions.TMP_DIRS, task.directory().toString());
        configuration.set(PipelineOptions.OBJECT_REUSE, true);
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(5));
        configuration.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
        configuration.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                task.directory().resolve("checkpoints").toUri().toString());
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        DataStream<Row> rows = environment.fromSource(
                KafkaSource.<Row>builder()
                        .setBootstrapServers(task.kafka().bootstrapServers())
                        .setProperty("interceptor.classes", PolledRecords.class.getName())
                        .setGroupId("bench-sql")
                        .setTopics(Topic.REQUESTS.topicName())
                        .setStartingOffsets(OffsetsInitializer.earliest())
                        .setBounded(OffsetsInitializer.latest())
                        .setDeserializer(new Rows())
                        .build(),
                WatermarkStrategy.<Row>forBoundedOutOfOrderness(Duration.ofSeconds(5))
                        .withTimestampAssigner((row, timestamp) -> (long) row.getField(4)),
                "requests");
        tables.createTemporaryView(
                "requests",
                rows,
                Schema.newBuilder()
                        .column("replica", "STRING NOT NULL")
                        .column("ttft", "BIGINT")
                        .column("tpot", "BIGINT")
                        .column("e2e", "BIGINT")
                        .columnByMetadata("event_time", "TIMESTAMP_LTZ(3)", "rowtime", true)
                        .watermark("event_time", "SOURCE_WATERMARK()")
                        .build());
        tables.executeSql("""
                CREATE TEMPORARY TABLE discarded (
                  replica STRING, ends TIMESTAMP(3), n BIGINT,
                  ttft ARRAY<DOUBLE>, tpot ARRAY<DOUBLE>, e2e ARRAY<DOUBLE>) WITH ('connector' = 'blackhole')""");
        tables.executeSql("""
                        INSERT INTO discarded
                        SELECT replica, CAST(window_end AS TIMESTAMP(3)), COUNT(*),
                          PERCENTILE(ttft, ARRAY[0.5, 0.99, 0.999]),
                          PERCENTILE(tpot, ARRAY[0.5, 0.99, 0.999]),
                          PERCENTILE(e2e, ARRAY[0.5, 0.99, 0.999])
                        FROM TABLE(TUMBLE(TABLE requests, DESCRIPTOR(event_time), INTERVAL '10' SECOND))
                        GROUP BY replica, window_start, window_end""").await();
    }

    /** Requests as rows; heartbeats are left out. */
    private static final class Rows implements KafkaRecordDeserializationSchema<Row> {
        private static final long serialVersionUID = 1;

        private transient @Nullable EventCodec codec;

        @Override
        public void open(DeserializationSchema.InitializationContext context) {
            codec = new EventCodec();
        }

        @Override
        public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<Row> out) {
            EventCodec opened = codec;
            if (opened == null) {
                throw new IllegalStateException("deserialize() before open()");
            }
            Latencies latencies = Latencies.of(opened, record.value());
            if (latencies != null) {
                out.collect(Row.of(
                        latencies.replica(),
                        orNull(latencies.ttftMicros()),
                        orNull(latencies.tpotNanos()),
                        orNull(latencies.e2eMicros()),
                        latencies.atMillis()));
            }
        }

        private static @Nullable Long orNull(long value) {
            return value == Latencies.ABSENT ? null : value;
        }

        @Override
        public TypeInformation<Row> getProducedType() {
            return Types.ROW_NAMED(
                    new String[] {"replica", "ttft", "tpot", "e2e", "millis"},
                    Types.STRING,
                    Types.LONG,
                    Types.LONG,
                    Types.LONG,
                    Types.LONG);
        }
    }
}
