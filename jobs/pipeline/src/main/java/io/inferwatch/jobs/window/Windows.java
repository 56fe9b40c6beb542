package io.inferwatch.jobs.window;

import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.jobs.ingest.RequestRow;
import io.inferwatch.jobs.ingest.Sample;
import java.time.Duration;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/** The windowing part of a graph: from screened rows to encoded {@link io.inferwatch.schemas.WindowStat}s keyed by series. */
public final class Windows {
    /** Numbers from this on are revisions of windows that were made anew: greater than any of those that came with the events. */
    public static final int ANEW_REVISION = 1_000_000;

    /** For up to so long a stream of samples is remembered: what it grew by since then counts. */
    public static final Duration SAMPLE_MEMORY = SampleFunction.MEMORY;

    /** Name of the total of requests of which {@link #anew} has made windows. */
    public static final String REQUESTS_OF_HOURS = "requests_of_hours_total";

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
                .process(new RollUpFunction(catalogueYaml, lateness, 0), TypeInformation.of(OutboundRecord.class))
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
                .process(new RollUpFunction(catalogueYaml, lateness, 0), TypeInformation.of(OutboundRecord.class))
                .name("Roll up to minutes and hours")
                .uid("roll-up");
    }

    /**
     * Windows of whole hours made anew, of requests and samples together, under the names that they were published under: each once, as its last revision. Event
     * time must not advance before its end.
     *
     * @param published windows as they are in Kafka, at least all of these hours
     */
    public static SingleOutputStreamOperator<OutboundRecord> anew(
            Hours hours,
            SingleOutputStreamOperator<RequestRow> rows,
            SingleOutputStreamOperator<Sample> samples,
            DataStream<InboundRecord> published,
            String catalogueYaml,
            Goodput goodput,
            Duration lateness) {
        DataStream<Partial> partials = rows.process(new OfHoursFunction(hours), RequestRow.type())
                .name("Keep requests of the hours")
                .uid("requests-of-hours")
                .transform(
                        "Pre-aggregate panes and fan out to views",
                        Partial.type(),
                        new PaneOperator(catalogueYaml, goodput, Duration.ZERO))
                .uid("pane")
                .union(samples.keyBy(Sample::subject)
                        .process(new SampleFunction(catalogueYaml, lateness), Partial.type())
                        .name("Spread readings and growth over panes")
                        .uid("rates")
                        .filter(partial -> hours.holdEnd(partial.paneEndMillis()))
                        .name("Keep panes of the hours")
                        .uid("panes-of-hours"));
        return published
                .flatMap(new PublishedHour.Finder(hours), PublishedHour.type())
                .name("Find what the hours were published as")
                .uid("published-hours")
                .keyBy(PublishedHour::admission)
                .connect(partials.keyBy(
                        partial -> PublishedHour.admission(partial.view(), Hours.endMillis(partial.paneEndMillis()))))
                .transform("Name series as they were published", Partial.type(), new ReadmitOperator(catalogueYaml))
                .uid("readmit")
                .keyBy(Partial::series)
                .process(
                        new RollUpFunction(catalogueYaml, lateness, ANEW_REVISION),
                        TypeInformation.of(OutboundRecord.class))
                .name("Roll up to minutes and hours")
                .uid("roll-up");
    }
}
