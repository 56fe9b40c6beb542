package io.inferwatch.jobs.detect;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.window.Windows;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.util.List;
import org.apache.flink.streaming.api.operators.co.CoBroadcastWithNonKeyedOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.TwoInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RouteFunctionTest {
    private static final long END_MICROS = 1_767_261_600_000_000L;

    @Test
    void theFirstRevisionOfAWindowIsJudgedAndCompared() throws Exception {
        assertThat(routed("replica-version", 0)).isEqualTo(1);
        assertThat(routed("class-model-version", 0)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, Windows.ANEW_REVISION})
    void laterOnesAndWindowsMadeAnewAreNeither(int revision) throws Exception {
        assertThat(routed("replica-version", revision)).isZero();
        assertThat(routed("class-model-version", revision)).isZero();
    }

    /** How many take the window. */
    private static int routed(String view, int revision) throws Exception {
        TwoInputStreamOperatorTestHarness<InboundRecord, InboundRecord, Member> harness =
                new TwoInputStreamOperatorTestHarness<>(new CoBroadcastWithNonKeyedOperator<>(
                        new RouteFunction(MetricCatalogue.shippedYaml(), PresentSettings.NONE),
                        List.of(LiveSettings.STATE)));
        try {
            harness.open();
            harness.processElement1(new StreamRecord<>(window(view, revision)));
            assertThat(harness.getSideOutput(RouteFunction.DEAD_LETTERS)).isNull();
            var comparisons = harness.getSideOutput(RouteFunction.COMPARISONS);
            return harness.extractOutputValues().size() + (comparisons == null ? 0 : comparisons.size());
        } finally {
            harness.close();
        }
    }

    private static InboundRecord window(String view, int revision) {
        WindowStat window = WindowStat.newBuilder()
                .setSeries(view + "/a")
                .setView(view)
                .setDimensions(List.of(new Dimension("replica", "a")))
                .setWindowMicros(60_000_000)
                .setWindowEndMicros(END_MICROS)
                .setRevision(revision)
                .setRequests(7)
                .setSums(List.of())
                .setSketches(List.of())
                .setGauges(List.of())
                .build();
        return new InboundRecord("windows", 0, 0, END_MICROS / 1_000, null, new EventCodec().encode(window));
    }
}
