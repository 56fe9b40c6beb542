package io.inferwatch.jobs.window;

import io.inferwatch.jobs.ingest.RequestRow;
import io.inferwatch.jobs.ingest.Totals;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/** Lets rows through whose event time lies in whole hours, and counts the requests among them. Chained to the source like all that rows pass. */
final class OfHoursFunction extends ProcessFunction<RequestRow, RequestRow> {
    private static final long serialVersionUID = 1;

    private final Hours hours;
    private transient @Nullable Counter requests;

    OfHoursFunction(Hours hours) {
        this.hours = hours;
    }

    @Override
    public void open(OpenContext context) {
        requests = Totals.counter(getRuntimeContext(), Windows.REQUESTS_OF_HOURS);
    }

    @Override
    public void processElement(RequestRow row, Context context, Collector<RequestRow> out) {
        Counter counter = requests;
        Long atMillis = context.timestamp();
        if (counter == null || atMillis == null) {
            throw new IllegalStateException("used before open(), or a row without a time");
        }
        if (hours.holdTime(atMillis)) {
            if (row.kind() == RequestRow.Kind.REQUEST) {
                counter.inc();
            }
            out.collect(row);
        }
    }
}
