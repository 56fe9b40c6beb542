package io.inferwatch.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.schemas.ChangeScale;
import io.inferwatch.schemas.ComparisonResult;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.DriftResult;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.HealthSample;
import io.inferwatch.schemas.Judgement;
import io.inferwatch.schemas.MixChange;
import io.inferwatch.schemas.MixShare;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.Verdict;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.util.List;
import java.util.Map;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lines as they must be, written by hand. */
class ResultPointsTest {
    private static final long MINUTE = 60_000_000;
    private static final long END = 1_700_000_040_000_000L;
    private static final InboundRecord NO_ORIGIN = new InboundRecord("t", 0, 0, 0, null, null);

    private static final Judgement RAW = new Judgement(
            Verdict.DRIFT,
            ChangeScale.RELATIVE,
            0.5,
            0.25,
            1.0,
            0.75,
            1.25,
            0.001,
            0.002,
            4_000L,
            40_000L,
            0.0625,
            0.125,
            0.03);
    private static final Judgement ADJUSTED = new Judgement(
            Verdict.INCONCLUSIVE,
            ChangeScale.RELATIVE,
            0.375,
            0.25,
            0.5,
            -0.25,
            1.5,
            0.25,
            0.5,
            1_000L,
            10_000L,
            0.625,
            0.875,
            0.03);
    private static final Judgement NOTHING = new Judgement(
            Verdict.NOT_ESTIMABLE,
            ChangeScale.RELATIVE,
            null,
            0.25,
            null,
            null,
            null,
            null,
            null,
            0L,
            40_000L,
            null,
            null,
            0.03);

    /** The server did a quarter of it, the traffic three. */
    private static final MixChange MIX = new MixChange(
            0.25,
            0.0625,
            0.1875,
            0.5,
            0.25,
            0.25,
            0.75,
            List.of(new MixShare("0-511", 0.5, 0.125), new MixShare("131072+", 0.5, 0.875)));

    private static final DriftResult DRIFT = new DriftResult(
            "node-prompt/n 1",
            "node-prompt",
            List.of(new Dimension("node", "n 1")),
            "ttft",
            "p99",
            MINUTE,
            END,
            4,
            4,
            "recent",
            RAW,
            ADJUSTED,
            MIX,
            List.of(),
            true,
            END - 3 * MINUTE,
            false);

    private static final ComparisonResult COMPARISON = new ComparisonResult(
            "canary",
            "class-model-version",
            List.of(new Dimension("model", "m"), new Dimension("version", "v1")),
            "class",
            "long",
            "short",
            "requests",
            "rate",
            MINUTE,
            END,
            true,
            RAW,
            false,
            null);

    private static final FigureResult STAGE = new FigureResult(
            "stage",
            "model-version",
            List.of(new Dimension("model", "m"), new Dimension("version", "v1"), new Dimension("stage", "decode")),
            MINUTE,
            END,
            Map.of("requests", 12L, "failed", 0L),
            Map.of("p99_seconds", 0.5, "share", 0.25),
            Map.of("limit", "bandwidth"));

    private final ResultPoints points = new ResultPoints(MetricCatalogue.shipped());

    @Test
    void aDriftIsAPointAndItsMixAnother() throws Exception {
        assertThat(lines(DRIFT))
                .containsExactly(
                        "r1m drift,view=node-prompt,node=n\\ 1,metric=ttft,statistic=p99"
                                + " verdict=\"DRIFT\",scale=\"RELATIVE\",unit=\"seconds\",current=0.5,baseline=0.25,"
                                + "change=1.0,change_low=0.75,change_high=1.25,p=0.001,q=0.002,n=4000i,n_baseline=40000i,"
                                + "detectable_change=0.0625,provable_change=0.125,threshold=0.03,windows=4i,"
                                + "baseline_kind=\"recent\",adjusted_verdict=\"INCONCLUSIVE\",adjusted_change=0.5,"
                                + "adjusted_change_low=-0.25,adjusted_change_high=1.5,adjusted_p=0.25,adjusted_q=0.5,"
                                + "adjusted_n=1000i,adjusted_n_baseline=10000i,adjusted_detectable_change=0.625,"
                                + "mix_share=0.75,drifting=1i,drifting_since_micros=1699999860000000i,rebased=0i"
                                + " 1700000040000000",
                        "r1m mix,view=node-prompt,node=n\\ 1,metric=ttft,statistic=p99"
                                + " total=0.25,rate=0.0625,mix=0.1875,mix_share=0.75,mean_total=0.5,mean_rate=0.25,"
                                + "mean_mix=0.25,covered=0.75,share_0-511_current=0.125,share_0-511_baseline=0.5,"
                                + "share_131072+_current=0.875,share_131072+_baseline=0.5 1700000040000000");
    }

    @Test
    void whatIsNotKnownIsLeftOut() throws Exception {
        DriftResult bare = DriftResult.newBuilder(DRIFT)
                .setView("fleet")
                .setDimensions(List.of())
                .setMetric("error_ratio")
                .setStatistic("share")
                .setRaw(NOTHING)
                .setAdjusted(null)
                .setMix(null)
                .setDrifting(false)
                .setDriftingSinceMicros(null)
                .setRebased(true)
                .build();

        assertThat(lines(bare))
                .containsExactly("r1m drift,view=fleet,metric=error_ratio,statistic=share"
                        + " verdict=\"NOT_ESTIMABLE\",scale=\"RELATIVE\",unit=\"ratio\",baseline=0.25,n=0i,"
                        + "n_baseline=40000i,threshold=0.03,windows=4i,baseline_kind=\"recent\",drifting=0i,rebased=1i"
                        + " 1700000040000000");
    }

    @Test
    void nothingIsNoPartOfNoChange() throws Exception {
        MixChange even = MixChange.newBuilder(MIX).setTotal(0).setRate(-0.1875).build();

        assertThat(lines(DriftResult.newBuilder(DRIFT).setMix(even).build()))
                .hasSize(2)
                .noneMatch(line -> line.contains("mix_share"))
                .anyMatch(line -> line.contains("total=0.0,rate=-0.1875,mix=0.1875,mean_total"));
    }

    @Test
    void aComparisonNamesBothValuesAndAnHourGoesToTheHours() throws Exception {
        ComparisonResult hour = ComparisonResult.newBuilder(COMPARISON)
                .setWindowMicros(60 * MINUTE)
                .setMetric("e2e")
                .setStatistic("mean")
                .setPinned(false)
                .setJudgement(NOTHING)
                .setDrifting(true)
                .setDriftingSinceMicros(END - 60 * MINUTE)
                .build();

        assertThat(lines(COMPARISON))
                .containsExactly(
                        "r1m comparison,comparison=canary,view=class-model-version,model=m,version=v1,class=long,"
                                + "against=short,metric=requests,statistic=rate"
                                + " verdict=\"DRIFT\",scale=\"RELATIVE\",unit=\"requests_per_second\",current=0.5,baseline=0.25,"
                                + "change=1.0,change_low=0.75,change_high=1.25,p=0.001,q=0.002,n=4000i,n_baseline=40000i,"
                                + "detectable_change=0.0625,provable_change=0.125,threshold=0.03,value=\"long\",pinned=1i,drifting=0i"
                                + " 1700000040000000");
        assertThat(lines(hour))
                .containsExactly(
                        "r1h comparison,comparison=canary,view=class-model-version,model=m,version=v1,class=long,"
                                + "against=short,metric=e2e,statistic=mean"
                                + " verdict=\"NOT_ESTIMABLE\",scale=\"RELATIVE\",unit=\"seconds\",baseline=0.25,n=0i,"
                                + "n_baseline=40000i,threshold=0.03,value=\"long\",pinned=0i,drifting=1i,"
                                + "drifting_since_micros=1699996440000000i 1700000040000000");
    }

    @Test
    void figuresGoToTheMeasurementThatTheirKindNames() throws Exception {
        assertThat(lines(STAGE))
                .containsExactly("r1m stage,view=model-version,model=m,version=v1,stage=decode"
                        + " failed=0i,requests=12i,p99_seconds=0.5,share=0.25,limit=\"bandwidth\" 1700000040000000");
        assertThat(lines(FigureResult.newBuilder(STAGE)
                        .setKind("prompt_shape")
                        .setWindowMicros(60 * MINUTE)
                        .setView("fleet")
                        .setDimensions(List.of())
                        .build()))
                .containsExactly(
                        "r1h prompt_shape,view=fleet failed=0i,requests=12i,p99_seconds=0.5,share=0.25,limit=\"bandwidth\""
                                + " 1700000040000000");
        assertThat(lines(FigureResult.newBuilder(STAGE).setKind("kv_joint").build()))
                .singleElement()
                .asString()
                .startsWith("r1m kv_joint,view=model-version,");
        assertThat(lines(FigureResult.newBuilder(STAGE)
                        .setKind("load_step")
                        .setView("run")
                        .setWindowMicros(60 * MINUTE)
                        .setDimensions(List.of(new Dimension("run", "nightly"), new Dimension("step", "2")))
                        .setTexts(Map.of("verdict", "breach"))
                        .build()))
                .containsExactly("runs load_step,view=run,run=nightly,step=2"
                        + " failed=0i,requests=12i,p99_seconds=0.5,share=0.25,verdict=\"breach\" 1700000040000000");
    }

    @Test
    void figuresWithoutAFigureAreNoPoint() throws Exception {
        Point point = points.of(FigureResult.newBuilder(STAGE)
                        .setCounts(Map.of())
                        .setValues(Map.of("share", Double.NaN))
                        .setTexts(Map.of())
                        .build())
                .get(0);

        assertThat(point.store(0, 0, NO_ORIGIN)).isEmpty();
        assertThat(point.content().leftOut()).isEqualTo(1);
    }

    @Test
    void whatCannotBeStoredSaysWhy() {
        assertUnstorable(
                FigureResult.newBuilder(STAGE).setKind("stages").build(),
                UnstorableException.Reason.UNKNOWN_KIND,
                "kind: must be one of anomaly, anomaly_finding, bottleneck, cause, contention, cost, device_choice, fragmentation, graph_capture, jitter_study, kernel_cache, kernel_timing,"
                        + " kv_cache, kv_joint, load_step, memory, padding, placement, prompt_shape, scheduler, slo, stage, straggler, tenant, found 'stages'");
        assertUnstorable(
                FigureResult.newBuilder(STAGE).setValues(Map.of("stage", 1.0)).build(),
                UnstorableException.Reason.NAME_TWICE,
                "dimensions, counts, values, texts: must have names of their own, found 'stage' twice");
        assertUnstorable(
                FigureResult.newBuilder(STAGE).setValues(Map.of("failed", 1.0)).build(),
                UnstorableException.Reason.NAME_TWICE,
                "dimensions, counts, values, texts: must have names of their own, found 'failed' twice");
        assertUnstorable(
                FigureResult.newBuilder(STAGE).setView("models").build(),
                UnstorableException.Reason.UNKNOWN_VIEW,
                "view: must be one of the catalogue's, found 'models'");
        assertUnstorable(
                DriftResult.newBuilder(DRIFT).setMetric("tftt").build(),
                UnstorableException.Reason.UNKNOWN_METRIC,
                "metric: must be one of the catalogue's, found 'tftt'");
        assertUnstorable(
                DriftResult.newBuilder(DRIFT).setWindowMicros(0).build(),
                UnstorableException.Reason.MALFORMED_WINDOW,
                "window: must have a length and an end after 1970, found 0 us to 1700000040000000");
        // The mix is no dimension of a result: it is judged over all its values.
        assertUnstorable(
                DriftResult.newBuilder(DRIFT)
                        .setDimensions(List.of(new Dimension("node", "n"), new Dimension("prompt", "0-511")))
                        .build(),
                UnstorableException.Reason.DIMENSIONS_DIFFER,
                "dimensions: must be [node] as of view node-prompt, found [node, prompt]");
        assertUnstorable(
                ComparisonResult.newBuilder(COMPARISON).setAcross("tenant").build(),
                UnstorableException.Reason.DIMENSIONS_DIFFER,
                "across: must be one of [class, model, version] as of view class-model-version, found 'tenant'");
        assertUnstorable(
                ComparisonResult.newBuilder(COMPARISON).setDimensions(List.of()).build(),
                UnstorableException.Reason.DIMENSIONS_DIFFER,
                "dimensions: must be [model, version] as of view class-model-version, found []");
        assertThatThrownBy(() -> points.of(new HealthSample("measure", "i", END, Map.of())))
                .isInstanceOf(UndecodableEventException.class)
                .hasMessage("record: must be DriftResult, ComparisonResult or FigureResult, found"
                        + " io.inferwatch.schemas.HealthSample");
    }

    @ParameterizedTest
    @CsvSource({"verdict, ''", "threshold, ''", "covered, ', mix: prompt'"})
    void aDimensionThatIsCalledLikeAFieldIsRefused(String name, String mix) {
        String yaml = """
                metrics:
                  requests: {of: requests, kind: sum, value: "1", unit: requests, help: h}
                dimensions:
                  %s: {field: node, limit: 10}
                  prompt: {field: promptTokens, edges: [512], labels: [short, long]}
                views:
                  nodes: {by: [%s, prompt], max-series: 1%s}
                """.formatted(name, name, mix);

        assertThatThrownBy(() -> new ResultPoints(MetricCatalogue.parse("c", yaml)))
                .hasMessage("metric catalogue: each tag and field must have a name of its own, found the field '" + name
                        + "' twice");
    }

    private void assertUnstorable(SpecificRecord result, UnstorableException.Reason reason, String message) {
        assertThatThrownBy(() -> points.of(result))
                .isInstanceOfSatisfying(
                        UnstorableException.class, e -> assertThat(e.reason()).isEqualTo(reason))
                .hasMessage(message);
    }

    private List<String> lines(SpecificRecord result) throws Exception {
        return points.of(result).stream()
                .map(point -> point.store(0, 0, NO_ORIGIN).orElseThrow())
                .map(point -> point.policy() + " " + point.line())
                .toList();
    }
}
