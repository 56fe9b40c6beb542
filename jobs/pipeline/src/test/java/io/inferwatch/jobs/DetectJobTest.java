package io.inferwatch.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.jobs.ingest.InboundRecord;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.clock.RelativeClock;
import org.junit.jupiter.api.Test;

class DetectJobTest {
    private final List<String> told = new ArrayList<>();
    private long nowMillis = 1;

    private final WatermarkOutput output = new WatermarkOutput() {
        @Override
        public void emitWatermark(Watermark watermark) {
            told.add("watermark " + watermark.getTimestamp());
        }

        @Override
        public void markIdle() {
            told.add("idle");
        }

        @Override
        public void markActive() {
            told.add("active");
        }
    };

    /** A watermark of theirs, before the first window has come, would make every window late: the operators behind never go back. */
    @Test
    void settingsTellNoEventTimeAndAreIdle() {
        WatermarkGenerator<InboundRecord> generator = DetectJob.timeless().createWatermarkGenerator(context());
        pass(generator);
        assertThat(told).as("before the first setting").containsOnly("idle");
        told.clear();
        generator.onEvent(new InboundRecord("config", 0, 0, 5, null, null), 5, output);
        pass(generator);
        assertThat(told).as("after a setting").containsOnly("idle");
    }

    private void pass(WatermarkGenerator<InboundRecord> generator) {
        for (int i = 0; i < 3; i++) {
            generator.onPeriodicEmit(output);
            nowMillis += 100;
        }
    }

    private WatermarkGeneratorSupplier.Context context() {
        return new WatermarkGeneratorSupplier.Context() {
            @Override
            public MetricGroup getMetricGroup() {
                return new UnregisteredMetricsGroup();
            }

            @Override
            public RelativeClock getInputActivityClock() {
                return new RelativeClock() {
                    @Override
                    public long relativeTimeMillis() {
                        return nowMillis;
                    }

                    @Override
                    public long relativeTimeNanos() {
                        return nowMillis * 1_000_000;
                    }
                };
            }
        };
    }
}
