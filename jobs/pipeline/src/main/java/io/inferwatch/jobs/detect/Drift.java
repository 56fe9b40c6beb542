package io.inferwatch.jobs.detect;

import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.BroadcastStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.util.OutputTag;

/** The judging part of a graph: from windows to results and alerts. */
public final class Drift {
    /** Alerts as they change: a side output of {@link #of}. */
    public static final OutputTag<OutboundRecord> ALERTS = ConfirmFunction.ALERTS;

    /** Alerts of comparisons as they change: a side output of {@link #comparisons}. */
    public static final OutputTag<OutboundRecord> COMPARISON_ALERTS = ComparisonFunction.ALERTS;

    /** Alerts of memory as they change: a side output of {@link #memory}. */
    public static final OutputTag<OutboundRecord> MEMORY_ALERTS = MemoryFunction.ALERTS;

    /** Rankings of causes: a side output of {@link #causes}. */
    public static final OutputTag<OutboundRecord> CAUSES = CauseFunction.RESULTS;

    /** Alerts of objectives as they change: a side output of {@link #promises}. */
    public static final OutputTag<OutboundRecord> SLO_ALERTS = SloFunction.ALERTS;

    /** Windows that cannot be read: a side output of {@link #route}. */
    public static final OutputTag<OutboundRecord> DEAD_LETTERS = RouteFunction.DEAD_LETTERS;

    private Drift() {}

    /** The configuration topic as every operator here takes it. */
    public static BroadcastStream<InboundRecord> broadcast(DataStream<InboundRecord> settings) {
        return settings.broadcast(LiveSettings.STATE);
    }

    /** Windows to those who judge them. */
    public static SingleOutputStreamOperator<Member> route(
            DataStream<InboundRecord> windows,
            BroadcastStream<InboundRecord> settings,
            PresentSettings settingsAtFirst,
            String catalogueYaml) {
        return windows.connect(settings)
                .process(new RouteFunction(catalogueYaml, settingsAtFirst), TypeInformation.of(Member.class))
                .name("Send windows to those who judge them")
                .uid("route");
    }

    /** Results of comparisons from routed windows. */
    public static SingleOutputStreamOperator<OutboundRecord> comparisons(
            SingleOutputStreamOperator<Member> routed, BroadcastStream<InboundRecord> settings, String catalogueYaml) {
        return routed.getSideOutput(RouteFunction.COMPARISONS)
                .keyBy(Member::key)
                .connect(settings)
                .process(new ComparisonFunction(catalogueYaml), TypeInformation.of(OutboundRecord.class))
                .name("Compare values side by side")
                .uid("compare");
    }

    /** Figures from routed windows. */
    public static SingleOutputStreamOperator<OutboundRecord> figures(
            SingleOutputStreamOperator<Member> routed, String catalogueYaml) {
        return routed.getSideOutput(RouteFunction.FIGURES)
                .keyBy(Member::key)
                .process(new FigureFunction(catalogueYaml), TypeInformation.of(OutboundRecord.class))
                .name("Compute figures of groups")
                .uid("figures");
    }

    /** Schedulers and captures of replicas, the study of captures that failed, costs and tenants, from routed windows. */
    public static DataStream<OutboundRecord> replicas(
            SingleOutputStreamOperator<Member> routed, BroadcastStream<InboundRecord> settings, String catalogueYaml) {
        SingleOutputStreamOperator<OutboundRecord> figures = routed.getSideOutput(RouteFunction.REPLICAS)
                .keyBy(Member::key)
                .process(new ReplicaFunction(), TypeInformation.of(OutboundRecord.class))
                .name("Compute what a replica's windows say together")
                .uid("replicas");
        DataStream<OutboundRecord> captures = figures.getSideOutput(ReplicaFunction.CAPTURES)
                .keyBy(CaptureMinute::model)
                .connect(settings)
                .process(new JitterFunction(catalogueYaml), TypeInformation.of(OutboundRecord.class))
                .name("Study failed captures beside restless batches")
                .uid("jitter");
        DataStream<OutboundRecord> costs = figures.getSideOutput(ReplicaFunction.COSTS)
                .union(routed.getSideOutput(RouteFunction.COSTS))
                .keyBy(CostPart::model)
                .connect(settings)
                .process(new CostFunction(catalogueYaml), TypeInformation.of(OutboundRecord.class))
                .name("Price what devices did")
                .uid("cost");
        DataStream<OutboundRecord> tenants = figures.getSideOutput(ReplicaFunction.TENANTS)
                .keyBy(TenantMinute::tenant)
                .process(new TenantFunction(), TypeInformation.of(OutboundRecord.class))
                .name("Say whether tenants disturb each other")
                .uid("tenants");
        return figures.union(captures, costs, tenants);
    }

    /** Figures of memory from routed windows, minute by minute. */
    public static SingleOutputStreamOperator<OutboundRecord> memory(
            SingleOutputStreamOperator<Member> routed, BroadcastStream<InboundRecord> settings, String catalogueYaml) {
        return routed.getSideOutput(RouteFunction.MEMORY)
                .keyBy(Member::key)
                .connect(settings)
                .process(new MemoryFunction(catalogueYaml), TypeInformation.of(OutboundRecord.class))
                .name("Follow memory of devices and KV caches")
                .uid("memory");
    }

    /** What padding takes, from routed windows, hour by hour. */
    public static SingleOutputStreamOperator<OutboundRecord> padding(
            SingleOutputStreamOperator<Member> routed, BroadcastStream<InboundRecord> settings, String catalogueYaml) {
        return routed.getSideOutput(RouteFunction.PADDING)
                .keyBy(Member::key)
                .connect(settings)
                .process(new PaddingFunction(catalogueYaml), TypeInformation.of(OutboundRecord.class))
                .name("Advise boundaries of padding")
                .uid("padding");
    }

    /** Alerts with their likely causes; rankings are the side output {@link #CAUSES}. */
    public static SingleOutputStreamOperator<OutboundRecord> causes(
            SingleOutputStreamOperator<Member> routed, DataStream<OutboundRecord> alerts, String catalogueYaml) {
        return routed.getSideOutput(RouteFunction.CAUSES)
                .connect(alerts)
                .keyBy(minute -> CauseFunction.KEY, alert -> CauseFunction.KEY)
                .process(new CauseFunction(catalogueYaml), TypeInformation.of(OutboundRecord.class))
                .name("Say what alerts likely come from")
                .uid("causes");
    }

    /** How objectives stand, from routed windows, minute by minute. */
    public static SingleOutputStreamOperator<OutboundRecord> promises(
            SingleOutputStreamOperator<Member> routed,
            BroadcastStream<InboundRecord> settings,
            PresentSettings settingsAtFirst,
            String catalogueYaml) {
        return routed.getSideOutput(RouteFunction.PROMISED)
                .keyBy(Member::key)
                .connect(settings)
                .process(new SloFunction(catalogueYaml, settingsAtFirst), TypeInformation.of(OutboundRecord.class))
                .name("Keep error budgets")
                .uid("slo-burn");
    }

    /** Results of drift from routed windows. */
    public static SingleOutputStreamOperator<OutboundRecord> of(
            DataStream<Member> members, BroadcastStream<InboundRecord> settings, String catalogueYaml) {
        TypeInformation<Candidate> candidates = TypeInformation.of(Candidate.class);
        return members.keyBy(Member::key)
                .connect(settings)
                .process(new DriftFunction(catalogueYaml), candidates)
                .name("Judge each series against its past")
                .uid("series-detect")
                .keyBy(Candidate::family)
                .process(new FalseDiscoveryFunction(), candidates)
                .name("Keep the share of false alarms")
                .uid("false-discovery")
                .keyBy(Candidate::key)
                .process(new ConfirmFunction(), TypeInformation.of(OutboundRecord.class))
                .name("Confirm what lasts")
                .uid("persistence");
    }
}
