package io.inferwatch.jobs.window;

import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.jobs.ingest.RequestRow;
import io.inferwatch.jobs.ingest.Sample;
import java.time.Duration;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/** The windowing part of a graph: from screened rows to encoded {@link io.inferwatch.schemas.WindowStat}s keyed by series. */
public final class Windows {
    private Windows() {}

    /**
     * Windows of samples by the catalogue with that text.
     *
     * @param lateness how long after its end a pane is still corrected
     */
    public static SingleOutputStreamOperator<OutboundRecord> ofSamples(
            SingleOutputStreamOperator<Sample> samples, String catalogueYaml, Duration lateness) {
        return samples.keyBy(Sample::subject)
                .process(new SampleFunction(catalogueYaml, lateness), Partial.type())
                .name("Spread readings and growth over panes")
                .uid("rates")
                .keyBy(Partial::view)
                .process(new AdmitFunction(catalogueYaml), Partial.type())
                .name("Admit values within limits (samples)")
                .uid("sample-admit")
                .keyBy(Partial::series)
                .process(new RollUpFunction(catalogueYaml, lateness), TypeInformation.of(OutboundRecord.class))
                .name("Roll up to minutes and hours (samples)")
                .uid("sample-roll-up");
    }

    /**
     * Windows of requests by the catalogue with that text.
     *
     * @param watermarkDelay by which the rows' watermark is behind their times
     * @param lateness how long after its end a pane is still corrected
     */
    public static SingleOutputStreamOperator<OutboundRecord> of(
            SingleOutputStreamOperator<RequestRow> rows,
            String catalogueYaml,
            Goodput goodput,
            Duration watermarkDelay,
            Duration lateness) {
        return rows.transform(
                        "Pre-aggregate panes and fan out to views",
                        Partial.type(),
                        new PaneOperator(catalogueYaml, goodput, watermarkDelay))
                .uid("pane")
                .keyBy(Partial::view)
                .process(new AdmitFunction(catalogueYaml), Partial.type())
                .name("Admit values within limits")
                .uid("admit")
                .keyBy(Partial::series)
                .process(new RollUpFunction(catalogueYaml, lateness), TypeInformation.of(OutboundRecord.class))
                .name("Roll up to minutes and hours")
                .uid("roll-up");
    }
}
