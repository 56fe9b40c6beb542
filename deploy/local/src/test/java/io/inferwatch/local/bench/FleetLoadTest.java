package io.inferwatch.local.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.UndecodableEventException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FleetLoadTest {
    private static final long START = 1_700_000_000_000_000L;

    @ParameterizedTest
    @CsvSource({"200, 48, 40000", "5000, 1000, 100000", "50000, 1000, 400000"})
    void fallsIntoExactlyTheCellsAskedFor(int cells, int replicas, long requests) throws UndecodableEventException {
        FleetLoad.Plan plan = new FleetLoad.Plan(requests, cells, 4, 1_000, 100_000, START, 1);
        assertThat(plan.replicas()).isEqualTo(replicas);
        Set<List<Object>> seen = new HashSet<>();
        Set<String> streams = new HashSet<>();
        for (int partition = 0; partition < 4; partition++) {
            for (SpecificRecord event : events(plan, partition)) {
                if (event instanceof RequestEvent request) {
                    seen.add(List.of(
                            request.getReplica(),
                            request.getTenant(),
                            bucket(request.getPromptTokens(), 512, 2048, 8192, 32768, 131072),
                            100 * request.getCachedTokens() / request.getPromptTokens() >= 50,
                            request.getTurn(),
                            request.getTemplate(),
                            request.getWorkloadClass()));
                    streams.add(request.getStream());
                }
            }
        }
        assertThat(seen).hasSizeBetween((int) (cells * 0.999), cells);
        assertThat(streams).hasSize(replicas);
    }

    @Test
    void streamsHaveNoGapsAndTimesKeepToThePlan() throws UndecodableEventException {
        FleetLoad.Plan plan = new FleetLoad.Plan(40_000, 400, 4, 1_000, 2_000, START, 2);
        for (int partition = 0; partition < 4; partition++) {
            Map<String, Long> next = new HashMap<>();
            int heartbeats = 0;
            int requests = 0;
            for (SpecificRecord event : events(plan, partition)) {
                if (event instanceof RequestEvent request) {
                    assertThat(request.getSequence()).isEqualTo(next.getOrDefault(request.getStream(), 0L));
                    next.merge(request.getStream(), 1L, Long::sum);
                    assertThat(request.getCompletedAtMicros()).isBetween(START - 500_000, plan.endMicros());
                    requests++;
                } else if (event instanceof Heartbeat heartbeat) {
                    assertThat(heartbeat.getNextSequence()).isEqualTo(next.getOrDefault(heartbeat.getStream(), 0L));
                    heartbeats++;
                }
            }
            assertThat(requests).isEqualTo(10_000);
            // Twenty seconds, every five seconds but the first moment, 25 replicas in each partition.
            assertThat(heartbeats).isEqualTo(3 * 25);
        }
    }

    @Test
    void isTheSameForTheSameSeed() {
        FleetLoad.Plan plan = new FleetLoad.Plan(4_000, 200, 4, 1_000, 1_000, START, 3);
        List<byte[]> first = new ArrayList<>();
        List<byte[]> second = new ArrayList<>();
        new FleetLoad(plan, 1).generate((time, key, value) -> first.add(value));
        new FleetLoad(plan, 1).generate((time, key, value) -> second.add(value));
        assertThat(first).hasSameSizeAs(second);
        for (int i = 0; i < first.size(); i++) {
            assertThat(first.get(i)).isEqualTo(second.get(i));
        }
    }

    @Test
    void refusesWhatCannotBeDivided() {
        assertThatThrownBy(() -> new FleetLoad.Plan(4_000, 202, 4, 1_000, 1_000, START, 3))
                .hasMessage("cells and events: must be multiples of the 4 partitions, found 202 and 4000");
    }

    private static List<SpecificRecord> events(FleetLoad.Plan plan, int partition) throws UndecodableEventException {
        EventCodec codec = new EventCodec();
        List<byte[]> values = new ArrayList<>();
        new FleetLoad(plan, partition).generate((time, key, value) -> values.add(value));
        List<SpecificRecord> events = new ArrayList<>();
        for (byte[] value : values) {
            events.add(codec.decode(value));
        }
        return events;
    }

    private static int bucket(long value, long... edges) {
        int bucket = 0;
        while (bucket < edges.length && value >= edges[bucket]) {
            bucket++;
        }
        return bucket;
    }
}
