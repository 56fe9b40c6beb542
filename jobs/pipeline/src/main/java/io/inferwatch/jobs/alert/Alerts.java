package io.inferwatch.jobs.alert;

import io.inferwatch.jobs.ingest.OutboundRecord;
import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/** The last part of a graph that alerts pass, from those who raise them to their topic. */
public final class Alerts {
    /** Name of the alert that always fires, and of its runbook page; the notifier waits for it. */
    public static final String WATCHDOG = "InferwatchWatchdog";

    private Alerts() {}

    /** What becomes of alerts as they were raised: {@link LifecycleFunction}. */
    public static SingleOutputStreamOperator<OutboundRecord> of(DataStream<OutboundRecord> raised) {
        return raised.keyBy(Alerts::fingerprint)
                .process(new LifecycleFunction(), TypeInformation.of(OutboundRecord.class))
                .name("Tell each alert once")
                .uid("alert-lifecycle");
    }

    /** The alert that always fires, beside those: {@link WatchdogOperator}. */
    public static SingleOutputStreamOperator<OutboundRecord> watchdog(DataStream<OutboundRecord> alerts) {
        return alerts.transform("Say that all works", TypeInformation.of(OutboundRecord.class), new WatchdogOperator())
                .uid("watchdog")
                .setParallelism(1);
    }

    private static String fingerprint(OutboundRecord alert) {
        byte[] key = alert.key();
        return key == null ? "" : new String(key, StandardCharsets.UTF_8);
    }
}
