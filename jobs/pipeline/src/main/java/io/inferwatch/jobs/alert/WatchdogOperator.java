package io.inferwatch.jobs.alert;

import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Evidence;
import io.inferwatch.schemas.Severity;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.operators.ProcessingTimeService.ProcessingTimeCallback;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Says every half minute of the clock that alerts find their way: an alert that always fires, to the same topic as all others. Who hears nothing of it knows that the
 * jobs, Kafka or the notifier do not work. How far event time lags is its evidence. Behind the stage that all alerts pass, and with it at the mercy of the
 * same job; takes nothing of what passes there. Without state.
 */
final class WatchdogOperator extends AbstractStreamOperator<OutboundRecord>
        implements OneInputStreamOperator<OutboundRecord, OutboundRecord>, ProcessingTimeCallback {
    private static final long serialVersionUID = 1;

    private static final long EACH_MILLIS = Duration.ofSeconds(30).toMillis();

    private transient long openedAtMillis;
    private transient long eventTimeMillis;

    @Override
    public void open() throws Exception {
        super.open();
        openedAtMillis = getProcessingTimeService().getCurrentProcessingTime();
        eventTimeMillis = Long.MIN_VALUE;
        tellAt(openedAtMillis);
    }

    @Override
    public void processElement(StreamRecord<OutboundRecord> alert) {
        // Goes its own way.
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        super.processWatermark(mark);
        eventTimeMillis = mark.getTimestamp();
    }

    @Override
    public void onProcessingTime(long dueMillis) {
        long nowMillis = getProcessingTimeService().getCurrentProcessingTime();
        boolean isKnown = eventTimeMillis != Long.MIN_VALUE && eventTimeMillis != Long.MAX_VALUE;
        Alert alert = new Alert(
                Alerts.WATCHDOG,
                Alerts.WATCHDOG,
                AlertState.FIRING,
                Severity.TICKET,
                1_000 * openedAtMillis,
                1_000 * nowMillis,
                null,
                Map.of(),
                "Alerts find their way from the jobs: this one always fires, and its silence is the news",
                isKnown
                        ? List.of(new Evidence(
                                "seconds by which event time lags", (nowMillis - eventTimeMillis) / 1e3, null, null))
                        : List.of(),
                List.of());
        output.collect(new StreamRecord<>(
                new OutboundRecord(
                        Alerts.WATCHDOG.getBytes(StandardCharsets.UTF_8), new EventCodec().encode(alert), nowMillis),
                nowMillis));
        tellAt(nowMillis + EACH_MILLIS);
    }

    /** What fails in a timer fails the task, so that its future says nothing more. */
    private void tellAt(long millis) {
        var unused = getProcessingTimeService().registerTimer(millis, this);
    }
}
