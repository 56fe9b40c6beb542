package io.inferwatch.jobs.ingest;

import java.time.Duration;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Lets usable samples through in time. What cannot be used goes to the dead letters with its place and the reason, what comes later than its pane's end
 * and the allowed lateness to the late topic as it came; this is decided here and nowhere else.
 */
public final class SampleScreen extends ProcessFunction<Sample, Sample> {
    private static final long serialVersionUID = 1;
    private static final long PANE_MILLIS = Duration.ofSeconds(10).toMillis();

    private final long latenessMillis;
    private transient @Nullable Working working;

    private record Working(DeadLetters letters, Counter samples, Counter late, Counter deadLetters) {}

    /**
     * A screen.
     *
     * @param lateness how long after its pane's end a sample is still taken
     */
    public SampleScreen(Duration lateness) {
        this.latenessMillis = lateness.toMillis();
    }

    @Override
    public void open(OpenContext context) {
        var group = getRuntimeContext().getMetricGroup();
        working = new Working(
                new DeadLetters(ScreenFunction.STAGE),
                Totals.counter(getRuntimeContext(), "samples_total"),
                group.counter("late_total"),
                Totals.counter(getRuntimeContext(), "dead_letters_total"));
    }

    @Override
    public void processElement(Sample sample, Context context, Collector<Sample> out) {
        Working w = working;
        if (w == null) {
            throw new IllegalStateException("used before open()");
        }
        w.samples.inc();
        long now = context.timerService().currentProcessingTime();
        if (sample.isFaulty()) {
            w.deadLetters.inc();
            context.output(
                    ScreenFunction.DEAD_LETTERS,
                    w.letters.letter(sample.record(), sample.faultReason(), sample.faultDetail(), now));
            return;
        }
        byte[] value = sample.record().value();
        long at = sample.atMillis();
        long paneEnd = at - Math.floorMod(at, PANE_MILLIS) + PANE_MILLIS;
        if (value != null && paneEnd + latenessMillis <= context.timerService().currentWatermark()) {
            w.late.inc();
            context.output(
                    ScreenFunction.LATE, new OutboundRecord(sample.record().key(), value, at));
            return;
        }
        out.collect(sample);
    }
}
