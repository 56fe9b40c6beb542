package io.inferwatch.local.bench.peers;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.local.bench.PipelineChild;
import io.inferwatch.local.bench.PolledRecords;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Topic;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.state.Stores;
import org.jspecify.annotations.Nullable;

/**
 * Kafka Streams with its own operators: TTFT, TPOT and E2E by replica, three of our sketches in ten-second windows with ten minutes of
 * grace, two threads, window store in memory with its change log and cache, commits every five seconds. No other view, metric, count, screen or output.
 */
public final class KafkaStreamsPeer implements PipelineChild.Peer {
    private static final Duration WINDOW = Duration.ofSeconds(10);
    private static final Duration GRACE = Duration.ofMinutes(10);
    private static final String STORE = "latencies";

    private final LongAdder processed = new LongAdder();

    /** Made by name. */
    public KafkaStreamsPeer() {}

    @Override
    public void run(PipelineChild.Task task) throws Exception {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(
                        Topic.REQUESTS.topicName(),
                        Consumed.with(Serdes.String(), requests())
                                .withTimestampExtractor(
                                        (record, partitionTime) -> record.value() instanceof Latencies latencies
                                                ? latencies.atMillis()
                                                : Math.max(0, partitionTime)))
                .peek((replica, latencies) -> processed.increment())
                .filter((replica, latencies) -> latencies != null)
                .groupByKey(Grouped.with(Serdes.String(), requests()))
                .windowedBy(TimeWindows.ofSizeAndGrace(WINDOW, GRACE))
                .aggregate(
                        Sketches::new,
                        (replica, latencies, sketches) -> sketches.add(latencies),
                        Materialized.<String, Sketches>as(
                                        Stores.inMemoryWindowStore(STORE, WINDOW.plus(GRACE), WINDOW, false))
                                .withKeySerde(Serdes.String())
                                .withValueSerde(sketches()));
        try (KafkaStreams streams = new KafkaStreams(builder.build(), settings(task))) {
            streams.start();
            while (processed.sum() < task.records()) {
                if (streams.state() == KafkaStreams.State.ERROR) {
                    throw new IllegalStateException("Kafka Streams failed; see the log");
                }
                LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
            }
        }
    }

    private static Properties settings(PipelineChild.Task task) {
        Properties settings = task.kafka().clientProperties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "bench-streams-" + System.nanoTime());
        settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 2);
        settings.put(
                StreamsConfig.STATE_DIR_CONFIG,
                task.directory().resolve("streams").toString());
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 5_000);
        settings.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 64 * 1024 * 1024L);
        settings.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, 1);
        settings.put(StreamsConfig.consumerPrefix("auto.offset.reset"), "earliest");
        settings.put(StreamsConfig.mainConsumerPrefix("interceptor.classes"), PolledRecords.class.getName());
        return settings;
    }

    /** The accumulator of a window. */
    private static final class Sketches {
        final QuantileSketch ttft;
        final QuantileSketch tpot;
        final QuantileSketch e2e;

        Sketches() {
            this(new QuantileSketch(), new QuantileSketch(), new QuantileSketch());
        }

        Sketches(QuantileSketch ttft, QuantileSketch tpot, QuantileSketch e2e) {
            this.ttft = ttft;
            this.tpot = tpot;
            this.e2e = e2e;
        }

        Sketches add(Latencies latencies) {
            add(ttft, latencies.ttftMicros());
            add(tpot, latencies.tpotNanos());
            add(e2e, latencies.e2eMicros());
            return this;
        }

        private static void add(QuantileSketch sketch, long value) {
            if (value != Latencies.ABSENT) {
                sketch.add(value);
            }
        }
    }

    private static Serde<Sketches> sketches() {
        return Serdes.serdeFrom(
                (topic, sketches) -> {
                    byte[] ttft = SketchEncoding.encode(sketches.ttft);
                    byte[] tpot = SketchEncoding.encode(sketches.tpot);
                    byte[] e2e = SketchEncoding.encode(sketches.e2e);
                    return ByteBuffer.allocate(8 + ttft.length + tpot.length + e2e.length)
                            .putInt(ttft.length)
                            .putInt(tpot.length)
                            .put(ttft)
                            .put(tpot)
                            .put(e2e)
                            .array();
                },
                (topic, bytes) -> {
                    if (bytes == null) {
                        return null;
                    }
                    ByteBuffer buffer = ByteBuffer.wrap(bytes);
                    int ttft = buffer.getInt();
                    int tpot = buffer.getInt();
                    return new Sketches(
                            SketchEncoding.decode(bytes, 8, ttft),
                            SketchEncoding.decode(bytes, 8 + ttft, tpot),
                            SketchEncoding.decode(bytes, 8 + ttft + tpot, bytes.length - 8 - ttft - tpot));
                });
    }

    /** One serde serves all threads of Kafka Streams, the codec but one. */
    private static Serde<Latencies> requests() {
        ThreadLocal<EventCodec> codec = ThreadLocal.withInitial(EventCodec::new);
        return Serdes.serdeFrom(
                (topic, latencies) -> {
                    throw new UnsupportedOperationException("nothing is repartitioned");
                },
                (topic, bytes) -> read(codec.get(), bytes));
    }

    private static @Nullable Latencies read(EventCodec codec, byte @Nullable [] bytes) {
        return bytes == null ? null : Latencies.of(codec, bytes);
    }
}
