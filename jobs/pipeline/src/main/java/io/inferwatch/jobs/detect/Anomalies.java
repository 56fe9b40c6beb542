package io.inferwatch.jobs.detect;

import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.BroadcastStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/**
 * The part of a graph that looks for anomalies: each series by its own past and among its peers, then all together.
 *
 * @param results of all three
 * @param alerts of what is promoted, as they change
 */
public record Anomalies(DataStream<OutboundRecord> results, DataStream<OutboundRecord> alerts) {
    private static final String FLEET = "fleet";

    /** From routed windows. */
    public static Anomalies of(
            SingleOutputStreamOperator<Member> routed, BroadcastStream<InboundRecord> settings, String catalogueYaml) {
        TypeInformation<OutboundRecord> records = TypeInformation.of(OutboundRecord.class);
        SingleOutputStreamOperator<OutboundRecord> own = routed.getSideOutput(RouteFunction.ANOMALIES)
                .keyBy(Member::key)
                .connect(settings)
                .process(new AnomalyFunction(catalogueYaml), records)
                .name("Judge each series by what it was")
                .uid("anomaly");
        SingleOutputStreamOperator<OutboundRecord> peers = routed.getSideOutput(RouteFunction.PEERS)
                .keyBy(Member::key)
                .connect(settings)
                .process(new PeerFunction(catalogueYaml), records)
                .name("Hold replicas against each other")
                .uid("peers");
        SingleOutputStreamOperator<OutboundRecord> findings = own.getSideOutput(AnomalyFunction.STANDINGS)
                .union(peers.getSideOutput(PeerFunction.STANDINGS))
                .keyBy(Standing::endMillis)
                .process(new LookFunction(), TypeInformation.of(Looked.class))
                .name("Look at all series of a minute")
                .uid("anomaly-look")
                .keyBy(looked -> FLEET)
                .process(new FindingFunction(), records)
                .name("Follow what anomalous series have in common")
                .uid("anomaly-findings");
        return new Anomalies(own.union(peers, findings), findings.getSideOutput(FindingFunction.ALERTS));
    }
}
