package io.inferwatch.jobs.device;

import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.jobs.ingest.Sample;
import io.inferwatch.schemas.Topic;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.util.OutputTag;

/** The part of a graph that reads samples of a device together: from screened samples to results and alerts. */
public final class Devices {
    /** Alerts as they change: a side output of {@link #of}. */
    public static final OutputTag<OutboundRecord> ALERTS = DeviceFunction.ALERTS;

    private Devices() {}

    /** Bottlenecks and placement of each GPU and MIG instance. */
    public static SingleOutputStreamOperator<OutboundRecord> of(SingleOutputStreamOperator<Sample> samples) {
        return of(Topic.GPU, samples)
                .keyBy(Sample::subject)
                .process(new DeviceFunction(), TypeInformation.of(OutboundRecord.class))
                .name("Say what holds devices back and where their processes run")
                .uid("devices");
    }

    /** Caches and timings of each replica's kernel profiles. */
    public static SingleOutputStreamOperator<OutboundRecord> kernels(SingleOutputStreamOperator<Sample> samples) {
        return of(Topic.KERNELS, samples)
                .keyBy(Sample::subject)
                .process(new KernelFunction(), TypeInformation.of(OutboundRecord.class))
                .name("Put kernel profiles side by side")
                .uid("kernel-profiles");
    }

    /** Contention of the units that share a device. */
    public static SingleOutputStreamOperator<OutboundRecord> contention(SingleOutputStreamOperator<Sample> samples) {
        return of(Topic.OPERATORS, samples)
                .flatMap(new UnitOperation.Reader(), TypeInformation.of(UnitOperation.class))
                .name("Operations of units")
                .uid("unit-operations")
                .keyBy(UnitOperation::device)
                .process(new ContentionFunction(), TypeInformation.of(OutboundRecord.class))
                .name("Say what units that share a device cost each other")
                .uid("contention");
    }

    private static SingleOutputStreamOperator<Sample> of(Topic topic, SingleOutputStreamOperator<Sample> samples) {
        String name = topic.topicName();
        return samples.filter(sample -> sample.record().topic().equals(name))
                .name("Samples of " + name)
                .uid("samples-of-" + name);
    }
}
