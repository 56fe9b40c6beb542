package io.inferwatch.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.DeadLetter;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Evidence;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.HealthSample;
import io.inferwatch.schemas.Severity;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.avro.specific.SpecificRecord;
import org.apache.flink.streaming.api.operators.ProcessOperator;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

class PointsFunctionTest {
    private static final long AT = 1_700_000_000_000_000L;

    private final EventCodec codec = new EventCodec();

    @Test
    void anAlertIsOnePointPerChange() throws Exception {
        Alert firing = new Alert(
                "f00",
                "TtftDrift",
                AlertState.FIRING,
                Severity.PAGE,
                AT - 60_000_000,
                AT,
                null,
                Map.of("model", "m", "cluster", "c"),
                "TTFT p99 rose by 40 %",
                List.of(new Evidence("ttft_p99_seconds", 1.4, 1.0, "one minute"), new Evidence("n", 400.0, null, null)),
                List.of("node n7", "version v2"));
        Alert resolved = Alert.newBuilder(firing)
                .setState(AlertState.RESOLVED)
                .setChangedAtMicros(AT + 5)
                .setEndsAtMicros(AT + 4)
                .build();

        Alert always = Alert.newBuilder(firing).setName("InferwatchWatchdog").build();

        List<StoredPoint> points = run(PointsFunction.ofAlerts(), firing, always, resolved).points;

        assertThat(points).as("what always fires is no change of a state").hasSize(2);
        assertThat(points).extracting(StoredPoint::policy).containsOnly("r1h");
        assertThat(points.get(0).line())
                .isEqualTo("alert,alert=TtftDrift,fingerprint=f00 state=\"FIRING\",severity=\"PAGE\","
                        + "summary=\"TTFT p99 rose by 40 %\",starts_at_micros=1699999940000000i,"
                        + "labels=\"cluster=c,model=m\","
                        + "evidence=\"ttft_p99_seconds: 1.4, against 1.0 (one minute)\nn: 400.0\","
                        + "causes=\"node n7\nversion v2\" 1700000000000000");
        assertThat(points.get(1).line())
                .contains("state=\"RESOLVED\"", "ends_at_micros=1700000000000004i")
                .endsWith(" 1700000000000005");
    }

    @Test
    void aHealthSampleIsOnePointOfItsFiniteReadings() throws Exception {
        HealthSample sample = new HealthSample(
                "measure", "host 1/screen", AT, Map.of("late_total", 3.0, "lag", Double.NaN, "age_seconds", 0.5));

        assertThat(run(PointsFunction.ofHealth(), sample).points)
                .singleElement()
                .satisfies(point -> assertThat(point.policy()).isEqualTo("r1m"))
                .satisfies(point -> assertThat(point.line())
                        .isEqualTo("inferwatch_health,component=measure,instance=host\\ 1/screen"
                                + " age_seconds=0.5,late_total=3.0 1700000000000000"));
    }

    @Test
    void aSampleOfWhichNothingRemainsIsNotSent() throws Exception {
        HealthSample sample = new HealthSample("measure", "i", AT, Map.of("lag", Double.POSITIVE_INFINITY));

        Result result = run(PointsFunction.ofHealth(), sample);

        assertThat(result.points).isEmpty();
        assertThat(result.letters).isEmpty();
    }

    @Test
    void aRecordOfAnotherKindIsADeadLetterAndAGoneKeyIsNone() throws Exception {
        HealthSample sample = new HealthSample("measure", "i", AT, Map.of("lag", 1.0));

        Result result = run(PointsFunction.ofAlerts(), sample, null);

        assertThat(result.points).isEmpty();
        assertThat(result.letters).hasSize(1);
        DeadLetter letter = codec.decode(result.letters.get(0).value(), DeadLetter.class);
        assertThat(letter.getReason()).isEqualTo("unexpected-record");
        assertThat(letter.getDetail())
                .isEqualTo("record: must be io.inferwatch.schemas.Alert, found io.inferwatch.schemas.HealthSample");
        assertThat(letter.getOffset()).isZero();
    }

    @Test
    void aResultIsOnePointOrMoreAndWhatCannotBeStoredIsADeadLetterWithItsReason() throws Exception {
        FigureResult stage = new FigureResult(
                "stage",
                "fleet",
                List.of(),
                60_000_000L,
                AT,
                Map.of("requests", 7L),
                Map.of("p99_seconds", 0.25),
                Map.of());
        FigureResult unknown = FigureResult.newBuilder(stage).setKind("stages").build();
        HealthSample stray = new HealthSample("measure", "i", AT, Map.of("lag", 1.0));

        Result result =
                run(PointsFunction.ofResults(MetricCatalogue.shippedYaml()), stage, unknown, stray, null, stage);

        assertThat(result.points)
                .extracting(StoredPoint::line)
                .containsExactly(
                        "stage,view=fleet requests=7i,p99_seconds=0.25 1700000000000000",
                        "stage,view=fleet requests=7i,p99_seconds=0.25 1700000000000000");
        List<String> letters = new ArrayList<>();
        for (OutboundRecord letter : result.letters) {
            DeadLetter read = codec.decode(letter.value(), DeadLetter.class);
            letters.add(read.getStage() + " " + read.getOffset() + " " + read.getReason() + " " + read.getDetail());
        }
        assertThat(letters)
                .containsExactly(
                        "store 1 unknown-kind kind: must be one of anomaly, anomaly_finding, bottleneck, cause, contention, cost, device_choice, fragmentation, graph_capture, jitter_study,"
                                + " kernel_cache, kernel_timing, kv_cache, kv_joint, load_step, memory, padding, placement, prompt_shape, scheduler, slo, stage, straggler, tenant, found 'stages'",
                        "store 2 unexpected-record record: must be DriftResult, ComparisonResult or FigureResult, found"
                                + " io.inferwatch.schemas.HealthSample");
    }

    private record Result(List<StoredPoint> points, List<OutboundRecord> letters) {}

    @SuppressWarnings("try") // The harness's close() may be interrupted, like any test.
    private Result run(PointsFunction function, SpecificRecord... events) throws Exception {
        try (OneInputStreamOperatorTestHarness<InboundRecord, StoredPoint> harness =
                new OneInputStreamOperatorTestHarness<>(new ProcessOperator<>(function))) {
            harness.open();
            for (int i = 0; i < events.length; i++) {
                byte[] value = events[i] == null ? null : codec.encode(events[i]);
                harness.processElement(
                        new InboundRecord("topic", 0, i, 1, "k".getBytes(StandardCharsets.UTF_8), value), 1);
            }
            var letters = harness.getSideOutput(PointsFunction.DEAD_LETTERS);
            return new Result(
                    harness.extractOutputValues(),
                    letters == null
                            ? List.of()
                            : letters.stream().map(letter -> letter.getValue()).toList());
        }
    }
}
