package io.inferwatch.jobs.ingest;

import io.inferwatch.schemas.Source;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.Traffic;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets through each usable request once, in time, and every usable heartbeat.
 *
 * <ul>
 *   <li>Undecodable records and schema-valid nonsense (negative or absurd numbers, times more than five minutes ahead of the broker,
 *       traffic of an unknown kind) go to the dead letters with their place and the reason.
 *   <li>A request whose stream and sequence were seen before is dropped and counted. Numbers that a stream skipped are counted as
 *       missing until they come.
 *   <li>A request whose pane ended longer ago than the allowed lateness goes to the late topic as it came. This is decided here and
 *       nowhere else.
 *   <li>A host whose clock is over 2 s off the broker's in three heartbeats running is flagged.
 * </ul>
 *
 * <p>State: the sequence trackers of all streams, about 100 bytes each, for a day after a stream's last event. After a restore every
 * subtask knows all streams, since partitions may have moved.
 */
public final class ScreenFunction extends ProcessFunction<RequestRow, RequestRow> implements CheckpointedFunction {
    /** Dead letters, encoded. */
    public static final OutputTag<OutboundRecord> DEAD_LETTERS = new OutputTag<>("dead-letters") {};

    /** Requests that came too late, as they came. */
    public static final OutputTag<OutboundRecord> LATE = new OutputTag<>("late") {};

    private static final Logger LOG = LoggerFactory.getLogger(ScreenFunction.class);
    /** As dead letters name it. */
    static final String STAGE = "screen";

    private static final long MAX_NUMBER = 1_000_000_000_000_000L;
    private static final long STREAM_RETENTION_MILLIS = Duration.ofDays(1).toMillis();
    private static final long CLOCK_TOLERANCE_MILLIS = 2_000;
    private static final int SKEWED_HEARTBEATS = 3;

    private final String catalogueYaml;
    private final long latenessMillis;
    private final Map<String, SequenceTracker> trackers = new HashMap<>();
    private final Map<String, Integer> skewedHeartbeats = new HashMap<>();

    private transient @Nullable Slots slots;
    private transient @Nullable Counters counters;
    private transient @Nullable DeadLetters letters;
    private transient @Nullable ListState<byte[]> trackerState;
    private transient SequenceTracker @Nullable [] trackerByText;
    private transient int generation;

    private record Slots(
            int stream,
            int replica,
            int node,
            int sequence,
            int completedAt,
            int traffic,
            int weight,
            int nextSequence,
            int position,
            int emittedAt,
            int source,
            List<String> numberNames,
            int[] checked,
            int byteFields) {
        static Slots of(EventLayout layout) {
            List<String> names = layout.numbers();
            // Enums have been mapped to known symbols already.
            List<String> enums = List.of("traffic", "outcome", "source");
            List<String> instants = List.of("completedAtMicros", "eventTimeMicros", "emittedAtMicros");
            int[] checked = names.stream()
                    .filter(name -> !enums.contains(name) && !instants.contains(name))
                    .mapToInt(layout::number)
                    .toArray();
            return new Slots(
                    layout.text("stream"),
                    layout.text("replica"),
                    layout.text("node"),
                    layout.number("sequence"),
                    layout.number("completedAtMicros"),
                    layout.number("traffic"),
                    layout.number("sampleWeight"),
                    layout.number("nextSequence"),
                    layout.number("eventTimeMicros"),
                    layout.number("emittedAtMicros"),
                    layout.number("source"),
                    names,
                    checked,
                    layout.bytesCount());
        }
    }

    private record Counters(
            MetricGroup group,
            Counter requests,
            Counter heartbeats,
            Counter tombstones,
            Counter repeats,
            Counter late,
            Counter deadLetters,
            Map<String, Counter> byReason) {
        static Counters of(RuntimeContext context) {
            MetricGroup group = context.getMetricGroup();
            return new Counters(
                    group,
                    Totals.counter(context, "requests_total"),
                    group.counter("heartbeats_total"),
                    group.counter("tombstones_total"),
                    Totals.counter(context, "repeats_total"),
                    group.counter("late_total"),
                    Totals.counter(context, "dead_letters_total"),
                    new HashMap<>());
        }

        void deadLetter(String reason) {
            deadLetters.inc();
            byReason.computeIfAbsent(reason, r -> group.addGroup("reason", r).counter("dead_letters_by_reason_total"))
                    .inc();
        }
    }

    /**
     * A screen for events of the catalogue with that text.
     *
     * @param lateness how long after its pane's end an event is still taken
     */
    public ScreenFunction(String catalogueYaml, Duration lateness) {
        this.catalogueYaml = catalogueYaml;
        this.latenessMillis = lateness.toMillis();
    }

    @Override
    public void open(OpenContext context) {
        slots = Slots.of(EventLayout.of(MetricCatalogue.parse("metric catalogue", catalogueYaml)));
        letters = new DeadLetters(STAGE);
        trackerByText = new SequenceTracker[1024];
        generation = 0;
        counters = Counters.of(getRuntimeContext());
        MetricGroup group = getRuntimeContext().getMetricGroup();
        group.gauge("streams", trackers::size);
        group.gauge(
                "missing_events",
                () -> ownTrackers().stream().mapToLong(SequenceTracker::missing).sum());
        group.gauge(
                "lost_events",
                () -> ownTrackers().stream().mapToLong(SequenceTracker::lost).sum());
        group.gauge("skewed_hosts", () -> skewedHosts().size());
    }

    @Override
    public void processElement(RequestRow row, Context context, Collector<RequestRow> out) throws Exception {
        Slots at = slots();
        switch (row.kind()) {
            case TOMBSTONE -> counters().tombstones.inc();
            case FAULTY -> deadLetter(row, row.faultReason(), row.faultDetail(), context);
            case HEARTBEAT -> {
                counters().heartbeats.inc();
                if (isSound(row, at.position, context)) {
                    tracker(row, at).expect(row.number(at.nextSequence));
                    watchClock(row, at);
                    out.collect(row);
                }
            }
            case REQUEST -> {
                counters().requests.inc();
                if (!isSound(row, at.completedAt, context)) {
                    return;
                }
                SequenceTracker tracker = tracker(row, at);
                if (!tracker.see(row.number(at.sequence))) {
                    counters().repeats.inc();
                    return;
                }
                Long eventMillis = context.timestamp();
                tracker.touch(eventMillis);
                long paneEnd = eventMillis - Math.floorMod(eventMillis, PANE_MILLIS) + PANE_MILLIS;
                if (paneEnd + latenessMillis <= context.timerService().currentWatermark()) {
                    counters().late.inc();
                    context.output(LATE, new OutboundRecord(row.key(), row.value(), eventMillis));
                    return;
                }
                out.collect(row);
            }
        }
    }

    /** Hosts whose clock is off, by the name of the node or, where that is unknown, of the replica. */
    List<String> skewedHosts() {
        return skewedHeartbeats.entrySet().stream()
                .filter(e -> e.getValue() >= SKEWED_HEARTBEATS)
                .map(Map.Entry::getKey)
                .toList();
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) throws Exception {
        long newest = trackers.values().stream()
                .mapToLong(SequenceTracker::lastEventMillis)
                .max()
                .orElse(Long.MIN_VALUE);
        boolean removed = trackers.values().removeIf(t -> newest - t.lastEventMillis() > STREAM_RETENTION_MILLIS);
        if (removed && trackerByText != null) {
            Arrays.fill(trackerByText, null);
        }
        List<byte[]> entries = new ArrayList<>();
        for (Map.Entry<String, SequenceTracker> entry : trackers.entrySet()) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream data = new DataOutputStream(bytes);
            data.writeByte(1);
            data.writeUTF(entry.getKey());
            entry.getValue().write(data);
            entries.add(bytes.toByteArray());
        }
        if (trackerState != null) {
            trackerState.update(entries);
        }
    }

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        ListState<byte[]> state = context.getOperatorStateStore()
                .getUnionListState(new ListStateDescriptor<>(
                        "sequence-trackers", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
        for (byte[] entry : state.get()) {
            DataInputStream data = new DataInputStream(new ByteArrayInputStream(entry));
            int version = data.readByte();
            if (version != 1) {
                throw new IOException("sequence tracker state: version must be 1, found " + version);
            }
            String stream = data.readUTF();
            trackers.computeIfAbsent(stream, s -> new SequenceTracker()).merge(SequenceTracker.read(data));
        }
        trackerState = state;
    }

    private boolean isSound(RequestRow row, int timeSlot, Context context) {
        Slots at = slots();
        for (int slot : at.checked) {
            long number = row.number(slot);
            if (number < 0 && number != RequestRow.ABSENT) {
                return refuse(
                        row,
                        "negative-value",
                        at.numberNames.get(slot) + ": must be at least 0, found " + number,
                        context);
            }
            if (number > MAX_NUMBER) {
                return refuse(
                        row,
                        "implausible-value",
                        at.numberNames.get(slot) + ": must be at most " + MAX_NUMBER + ", found " + number,
                        context);
            }
        }
        long time = row.number(timeSlot);
        String timeName = at.numberNames.get(timeSlot);
        if (time <= 0) {
            return refuse(row, "implausible-value", timeName + ": must be after 1970, found " + time, context);
        }
        if (time / 1000 > row.appendedAtMillis() + EventTime.FUTURE_TOLERANCE.toMillis()) {
            return refuse(
                    row,
                    "future",
                    timeName + ": must be at most " + EventTime.FUTURE_TOLERANCE.toMinutes()
                            + " min after the broker's " + row.appendedAtMillis() + " ms, found " + time + " us",
                    context);
        }
        if (row.number(at.weight) == 0) {
            return refuse(row, "implausible-value", "sampleWeight: must be at least 1, found 0", context);
        }
        if (row.number(at.traffic) == Traffic.UNKNOWN.ordinal()) {
            return refuse(
                    row,
                    "unknown-traffic",
                    "traffic: must be PRODUCTION or SYNTHETIC, found a kind unknown here",
                    context);
        }
        for (int slot = 0; slot < at.byteFields; slot++) {
            try {
                row.sketch(slot);
            } catch (IllegalArgumentException e) {
                return refuse(row, "invalid-sketch", String.valueOf(e.getMessage()), context);
            }
        }
        return true;
    }

    private boolean refuse(RequestRow row, String reason, String detail, Context context) {
        deadLetter(row, reason, detail, context);
        return false;
    }

    private void deadLetter(RequestRow row, String reason, String detail, Context context) {
        counters().deadLetter(reason);
        DeadLetters writer = letters;
        if (writer == null) {
            throw notOpen();
        }
        InboundRecord record = new InboundRecord(
                Topic.REQUESTS.topicName(),
                row.partition(),
                row.offset(),
                row.appendedAtMillis(),
                row.key(),
                row.value());
        context.output(
                DEAD_LETTERS,
                writer.letter(record, reason, detail, context.timerService().currentProcessingTime()));
    }

    private void watchClock(RequestRow row, Slots at) {
        if (row.number(at.source) == Source.REPLAY.ordinal()) {
            return;
        }
        int host = row.text(at.node) >= 0 ? row.text(at.node) : row.text(at.replica);
        String name = row.table().text(host);
        long skewMillis = row.number(at.emittedAt) / 1000 - row.appendedAtMillis();
        if (Math.abs(skewMillis) <= CLOCK_TOLERANCE_MILLIS) {
            skewedHeartbeats.remove(name);
        } else if (skewedHeartbeats.merge(name, 1, Integer::sum) == SKEWED_HEARTBEATS) {
            LOG.warn(
                    "The clock of host {} is {} ms off the broker's; its events keep to the broker's time",
                    name,
                    skewMillis);
        }
    }

    private SequenceTracker tracker(RequestRow row, Slots at) {
        SequenceTracker[] byText = trackerByText;
        if (byText == null) {
            throw notOpen();
        }
        int text = row.text(at.stream);
        if (row.table().generation() != generation) {
            Arrays.fill(byText, null);
            generation = row.table().generation();
        }
        if (text >= byText.length) {
            byText = Arrays.copyOf(byText, Math.max(text + 1, 2 * byText.length));
            trackerByText = byText;
        }
        SequenceTracker tracker = byText[text];
        if (tracker == null) {
            tracker = trackers.computeIfAbsent(row.table().text(text), stream -> new SequenceTracker());
            byText[text] = tracker;
        }
        return tracker;
    }

    /** Trackers of streams that this subtask reads; restored ones of other subtasks' streams are left out. */
    private List<SequenceTracker> ownTrackers() {
        SequenceTracker[] byText = trackerByText;
        return byText == null
                ? List.of()
                : Arrays.stream(byText).filter(t -> t != null).toList();
    }

    private Slots slots() {
        if (slots == null) {
            throw notOpen();
        }
        return slots;
    }

    private Counters counters() {
        if (counters == null) {
            throw notOpen();
        }
        return counters;
    }

    private static IllegalStateException notOpen() {
        return new IllegalStateException("used before open()");
    }

    private static final long PANE_MILLIS = Duration.ofSeconds(10).toMillis();
}
