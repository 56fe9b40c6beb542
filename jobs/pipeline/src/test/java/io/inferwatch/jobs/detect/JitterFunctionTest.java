package io.inferwatch.jobs.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.Setting;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.co.CoBroadcastWithKeyedOperator;
import org.apache.flink.streaming.util.KeyedBroadcastOperatorTestHarness;
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
    private KeyedBroadcastOperatorTestHarness<String, CaptureMinute, InboundRecord, OutboundRecord> harness;

    @BeforeEach
    void open() throws Exception {
        harness = new KeyedBroadcastOperatorTestHarness<>(
                new CoBroadcastWithKeyedOperator<>(
                        new JitterFunction(MetricCatalogue.shippedYaml()), List.of(LiveSettings.STATE)),
                CaptureMinute::model,
                Types.STRING,
                1,
                1,
                0);
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
        pass(START + DAY);

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
        pass(START + DAY);
        assertThat(last().getTexts()).containsEntry("wording", "no_association");
        assertThat(last().getValues().get("failure_ratio_low")).isLessThan(1);
        assertThat(last().getValues().get("failure_ratio_high")).isGreaterThan(1);
    }

    @Test
    void withoutFailuresTooLittleWasSeen() throws Exception {
        for (int window = 0; window < 6; window++) {
            send("r-0", window, 0.2, 4, 0);
        }
        pass(START + DAY / 24);
        assertThat(last().getTexts()).containsEntry("wording", "insufficient");
        assertThat(last().getValues()).isEmpty();
        assertThat(last().getCounts()).containsEntry("failures", 0L);
    }

    @Test
    void aDayIsKeptAndNoMore() throws Exception {
        day(0, 3, 13);
        pass(START + DAY);
        assertThat(last().getCounts().get("failures")).isGreaterThan(100);
        for (int window = 144; window < 288; window++) {
            send("r-0", window, 0.2, 10, 0);
            pass(START + (window + 1) * TEN_MINUTES);
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
        pass(START + 4 * DAY);
        var operator = (AbstractStreamOperator<?>) harness.getOperator();
        assertThat(((HeapKeyedStateBackend<?>) operator.getKeyedStateBackend()).numKeyValueStateEntries())
                .isZero();
    }

    /** Ten replicas with 100 captures each: in the baseline 0 to 8 of 100 fail, under the changed policy 20 to 28. Welch's limits by hand. */
    @Test
    void aPolicyThatWasDealtOutAtRandomIsCalledTheCause() throws Exception {
        experiment(START);
        for (int replica = 0; replica < 10; replica++) {
            send("r-" + replica, 0, 0.2, 100, (replica < 5 ? 0 : 20) + 2 * (replica % 5));
        }
        pass(START + DAY / 24);

        FigureResult told = last();
        assertThat(told.getTexts())
                .containsEntry("assignment", "randomised")
                .containsEntry("wording", "cause")
                .containsEntry("sentence", "the batching policy changes how often captures fail");
        assertThat(told.getCounts()).containsEntry("failures", 140L).containsEntry("replicas", 10L);
        // Both arms spread alike: variance of a share 40 * 5 / 4 / 500^2 = 0.0002; t of 8 degrees is 2.306004.
        double reach = 2.306004135 * Math.sqrt(2 * 0.0002);
        assertThat(told.getValues().get("failure_difference")).isCloseTo(0.2, within(1e-12));
        assertThat(told.getValues().get("failure_difference_low")).isCloseTo(0.2 - reach, within(1e-9));
        assertThat(told.getValues().get("failure_difference_high")).isCloseTo(0.2 + reach, within(1e-9));
        assertThat(told.getValues()).doesNotContainKey("failure_ratio");
    }

    @Test
    void whatWasCapturedBeforeAnExperimentDoesNotCount() throws Exception {
        experiment(START + TEN_MINUTES);
        for (int replica = 0; replica < 10; replica++) {
            send("r-" + replica, 0, 0.2, 100, replica < 5 ? 0 : 20);
            send("r-" + replica, 1, 0.2, 100, 4 + replica % 5);
        }
        pass(START + DAY / 24);
        assertThat(last().getTexts()).containsEntry("wording", "no_association");
        assertThat(last().getCounts()).containsEntry("failures", 60L);
        assertThat(last().getValues().get("failure_difference")).isCloseTo(0, within(1e-12));
    }

    private void experiment(long sinceMicros) throws Exception {
        String yaml = "{since: " + Instant.ofEpochMilli(sinceMicros / 1_000)
                + ", baseline: [r-0, r-1, r-2, r-3, r-4], changed: [r-5, r-6, r-7, r-8, r-9]}";
        harness.processBroadcastElement(
                new InboundRecord(
                        "config",
                        0,
                        0,
                        0,
                        "experiment/m".getBytes(StandardCharsets.UTF_8),
                        codec.encode(new Setting("experiment", "m", START, yaml))),
                0);
    }

    private void pass(long micros) throws Exception {
        harness.processWatermark(micros / 1_000);
        harness.processBroadcastWatermark(micros / 1_000);
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
            pass(START + (144 * day + window + 1) * TEN_MINUTES - 1_000);
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
