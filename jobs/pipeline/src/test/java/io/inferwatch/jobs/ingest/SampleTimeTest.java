package io.inferwatch.jobs.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.junit.jupiter.api.Test;

class SampleTimeTest {
    private static final long START = 1_800_000_000_000L;

    private long now = START;
    private final List<Long> emitted = new ArrayList<>();
    private final WatermarkOutput output = new WatermarkOutput() {
        @Override
        public void emitWatermark(Watermark watermark) {
            emitted.add(watermark.getTimestamp());
        }

        @Override
        public void markIdle() {
            throw new AssertionError("a partition is never idle");
        }

        @Override
        public void markActive() {
            throw new AssertionError("a partition is never idle");
        }
    };
    private final SampleTime.Generator generator =
            new SampleTime.Generator(Duration.ofSeconds(15), () -> Instant.ofEpochMilli(now));

    @Test
    void standsTheDelayBehindTheLatestSample() {
        read(START - 2_000, START - 1_000);
        read(START - 7_000, START - 1_000);
        assertThat(watermark()).isEqualTo(START - 2_000 - 15_000 - 1);
    }

    @Test
    void aQuietPartitionThatIsReadToItsEndFollowsTheClock() {
        read(START, START);
        now = START + 4_999;
        assertThat(watermark()).isEqualTo(START - 15_001);
        now = START + 5_000;
        assertThat(watermark()).isEqualTo(START + 5_000 - 15_001);
        now = START + 90_000;
        assertThat(watermark()).isEqualTo(START + 90_000 - 15_001);
    }

    @Test
    void aPartitionThatIsBehindFollowsItsSamplesHoweverSlowlyTheyAreRead() {
        read(START - 3_600_000, START - 3_600_000);
        now = START + 120_000;
        assertThat(watermark()).isEqualTo(START - 3_600_000 - 15_001);
    }

    @Test
    void aPartitionThatWasNeverHeardOfIsTakenForEmptyAfterAWhile() {
        generator.onPeriodicEmit(output);
        assertThat(emitted).isEmpty();
        now = START + 15_000;
        assertThat(watermark()).isEqualTo(START - 1);
    }

    @Test
    void aFaultyRecordMovesNothing() {
        read(START - 2_000, START - 1_000);
        InboundRecord record = new InboundRecord("t", 0, 0, START + 9_000_000, null, new byte[0]);
        generator.onEvent(new Sample(record, "", 0, "future", "x"), START + 9_000_000, output);
        assertThat(watermark()).isEqualTo(START - 2_000 - 15_001);
    }

    private void read(long atMillis, long appendedMillis) {
        InboundRecord record = new InboundRecord("t", 0, 0, appendedMillis, null, new byte[0]);
        generator.onEvent(new Sample(record, "s", atMillis * 1000, "", ""), atMillis, output);
    }

    private long watermark() {
        generator.onPeriodicEmit(output);
        return emitted.get(emitted.size() - 1);
    }
}
