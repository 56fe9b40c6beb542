package io.inferwatch.jobs.detect;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JitterFunctionTest {
    private static final long DAY = Duration.ofDays(1).toSeconds() * 1_000_000;
    private static final long TEN_MINUTES = DAY / 144;
    private static final long START =
            1_000 * Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();
    private static final int REPLICAS = 16;

    private final EventCodec codec = new EventCodec();
    private KeyedOneInputStreamOperatorTestHarness<String, CaptureMinute, OutboundRecord> harness;

    @BeforeEach
    void open() throws Exception {
        harness = new KeyedOneInputStreamOperatorTestHarness<>(
                new KeyedProcessOperator<>(new JitterFunction()), CaptureMinute::model, Types.STRING);
        harness.open();
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    /** After restless batches three times as many captures fail, whatever else: seed 11. */
    @Test
    void restlessBatchesThatMakeCapturesFailAreTold() throws Exception {
        day(0, 3, 11);
        harness.processWatermark((START + DAY) / 1_000);

        FigureResult told = last();
        assertThat(told.getKind()).isEqualTo("jitter_study");
        assertThat(told.getWindowMicros()).isEqualTo(DAY / 24);
        assertThat(told.getWindowEndMicros()).isEqualTo(START + DAY);
        assertThat(told.getDimensions()).containsExactly(new Dimension("model", "m"));
        assertThat(told.getTexts().get("wording")).isIn("temporal_order_supported", "placebo_passed");
        assertThat(told.getTexts().get("sentence")).contains("restless batches foretell failed captures");
        assertThat(told.getValues().get("failure_ratio_low")).isGreaterThan(1);
        assertThat(told.getValues().get("failure_ratio")).isBetween(1.3, 3.0);
        assertThat(told.getValues()).containsKeys("forward_p", "reverse_p", "after_ratio", "e_value");
        assertThat(told.getCounts()).containsEntry("replicas", (long) REPLICAS);
        assertThat(told.getCounts().get("failures")).isGreaterThan(100);
    }

    /** Half as restless and half restless, nothing depends on it: seed 12. */
    @Test
    void whereNothingDependsOnItNothingIsSaid() throws Exception {
        day(0, 1, 12);
        harness.processWatermark((START + DAY) / 1_000);
        assertThat(last().getTexts()).containsEntry("wording", "no_association");
        assertThat(last().getValues().get("failure_ratio_low")).isLessThan(1);
        assertThat(last().getValues().get("failure_ratio_high")).isGreaterThan(1);
    }

    @Test
    void withoutFailuresTooLittleWasSeen() throws Exception {
        for (int window = 0; window < 6; window++) {
            send("r-0", window, 0.2, 4, 0);
        }
        harness.processWatermark((START + DAY / 24) / 1_000);
        assertThat(last().getTexts()).containsEntry("wording", "insufficient");
        assertThat(last().getValues()).isEmpty();
        assertThat(last().getCounts()).containsEntry("failures", 0L);
    }

    @Test
    void aDayIsKeptAndNoMore() throws Exception {
        day(0, 3, 13);
        harness.processWatermark((START + DAY) / 1_000);
        assertThat(last().getCounts().get("failures")).isGreaterThan(100);
        for (int window = 144; window < 288; window++) {
            send("r-0", window, 0.2, 10, 0);
            harness.processWatermark((START + (window + 1) * TEN_MINUTES) / 1_000);
        }
        assertThat(last().getWindowEndMicros()).isEqualTo(START + 2 * DAY);
        assertThat(last().getCounts()).as("those of the day before").containsEntry("failures", 0L);
        assertThat(harness.extractOutputValues()).as("one each hour").hasSize(48);
        Set<String> words =
                Set.of("insufficient", "no_association", "association", "temporal_order_supported", "placebo_passed");
        for (OutboundRecord record : harness.extractOutputValues()) {
            assertThat(words)
                    .contains(codec.decode(record.value(), FigureResult.class)
                            .getTexts()
                            .get("wording"));
        }
        harness.processWatermark((START + 4 * DAY) / 1_000);
        assertThat(harness.numKeyedStateEntries()).isZero();
        assertThat(harness.numEventTimeTimers()).isZero();
    }

    /** Each replica is restless or calm in each window by chance, and captures of the next fail so many times as often after a restless one. */
    private void day(int day, double times, long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        List<boolean[]> restless = new ArrayList<>();
        for (int replica = 0; replica < REPLICAS; replica++) {
            restless.add(new boolean[144]);
        }
        for (int window = 0; window < 144; window++) {
            for (int replica = 0; replica < REPLICAS; replica++) {
                restless.get(replica)[window] = random.nextBoolean();
                boolean wasRestless = window > 0 && restless.get(replica)[window - 1];
                int failures = 0;
                for (int capture = 0; capture < 10; capture++) {
                    failures += random.nextDouble() < 0.05 * (wasRestless ? times : 1) ? 1 : 0;
                }
                send("r-" + replica, 144 * day + window, restless.get(replica)[window] ? 0.5 : 0.1, 10, failures);
            }
            harness.processWatermark((START + (144 * day + window + 1) * TEN_MINUTES) / 1_000 - 1);
        }
    }

    private void send(String replica, int window, double variation, long captures, long failures) throws Exception {
        double mean = 32;
        harness.processElement(
                new CaptureMinute(
                        "m",
                        "v1",
                        replica,
                        START + window * TEN_MINUTES + 60_000_000,
                        600,
                        mean,
                        mean * mean * variation * variation,
                        0,
                        0.3,
                        0.5,
                        window * TEN_MINUTES,
                        captures,
                        failures),
                0);
    }

    private FigureResult last() throws Exception {
        List<OutboundRecord> all = harness.extractOutputValues();
        return codec.decode(all.get(all.size() - 1).value(), FigureResult.class);
    }
}
