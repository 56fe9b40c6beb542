package io.inferwatch.probes.engine;

import io.inferwatch.probes.engine.mapping.Engine;
import io.inferwatch.probes.engine.mapping.Signal;
import io.inferwatch.probes.gpu.ThrottleReason;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.GpuState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A GPU, or one of its MIG instances, as a page of metrics tells of it. Its counters do not begin anew with the process that shows them: their first value is
 * where counting begins, and a fall begins at 0.
 */
final class Device {
    private static final int ANY_PROCESS = 0;
    private static final String PROFILING = "ActivePpm";
    /** The mark of a device whose profiling went blank. */
    static final String BLANK = "profiling-blank";

    private final Engine.Device kind;
    private final Map<String, String> labels;
    private final String uuid;
    private final String instance;
    private final Map<Signal.Value, ValueState> states = new HashMap<>();
    private final Map<String, Long> lastSeenAtMicros = new HashMap<>();
    private final Map<Cell, String> xids = new HashMap<>();
    private final Map<Cell, Double> windows = new HashMap<>();
    private boolean isRead;
    private @Nullable Double lastCode;
    private long xidEvents;

    Device(Engine.Device kind, String uuid, String instance, Map<String, String> labels) {
        this.kind = kind;
        this.uuid = uuid;
        this.instance = instance;
        this.labels = labels;
    }

    String uuid() {
        return uuid;
    }

    boolean isInstance() {
        return !instance.isEmpty();
    }

    /** The whole device that this is an instance of. */
    Device board() {
        return new Device(kind, uuid, "", labels);
    }

    /** The cell of a series of this device; of several, which differ in what is no property of the device, the greatest counts. */
    Cell cell(Signal.Value signal, int name, int part, Map<String, String> seriesLabels) {
        ValueState state = states.computeIfAbsent(signal, ValueState::new);
        boolean byCode = signal.kind() == Signal.Kind.WINDOWED_COUNT;
        String code = byCode ? seriesLabels.getOrDefault("xid", "") : "";
        Cell cell = state.cell(name, part, List.of(code));
        if (byCode) {
            xids.put(cell, code);
        }
        return cell;
    }

    /** What the page says of this device and, where it says nothing itself, of its instances as a whole; null when it says nothing. */
    @Nullable
    GpuSample sample(long page, long atMicros, List<Device> instances) {
        GpuSample sample = GpuSample.newBuilder()
                .setStream("")
                .setSequence(0)
                .setSampledAtMicros(atMicros)
                .setIntervalMicros(0)
                .setGpu(uuid)
                .setMigId(isInstance() ? "MIG-" + uuid + "/" + instance : null)
                .setIndex(index())
                .setName(labels.get(kind.product()))
                .setNode(labels.get("Hostname"))
                .setPod(labels.get("pod"))
                .setState(GpuState.OK)
                .setOrigin(kind.origin())
                .build();
        Map<String, Long> ages = new HashMap<>();
        boolean says = false;
        for (Signal.Value signal : kind.signals()) {
            if (isInstance() && signal.board()) {
                continue;
            }
            says |= fill(sample, signal, page, atMicros, instances, ages);
        }
        sample.setAgesMicros(ages);
        boolean isBlank = ages.keySet().stream()
                .anyMatch(field -> field.endsWith(PROFILING)
                        && sample.get(sample.getSchema().getField(field).pos()) == null);
        List<String> marks = new ArrayList<>();
        if (isBlank) {
            marks.add(BLANK);
        }
        sample.setMarks(marks);
        if (sample.getUsedBytes() != null) {
            sample.setMemorySource("dcgm");
        }
        isRead = true;
        return says ? sample : null;
    }

    private boolean fill(
            GpuSample sample,
            Signal.Value signal,
            long page,
            long atMicros,
            List<Device> instances,
            Map<String, Long> ages) {
        if (signal.kind() == Signal.Kind.LAST_CODE) {
            ValueState state = countsEvents(page, instances) ? null : boardState(signal, page, instances);
            return state != null && changedCode(sample, state, page);
        }
        if (signal.kind() == Signal.Kind.WINDOWED_COUNT) {
            ValueState state = boardState(signal, page, instances);
            return state != null && risenCount(sample, state, page);
        }
        Double value = value(signal, page, instances);
        String field = signal.field().name();
        if (value != null) {
            if (signal.kind() == Signal.Kind.REASONS) {
                sample.setThrottleReasons(ThrottleReason.labels(value.longValue()));
                sample.setThrottled(ThrottleReason.costsSpeed(value.longValue()));
            } else if (signal.field().isUnset(sample)) {
                signal.field().set(sample, value);
            }
            lastSeenAtMicros.put(field, atMicros);
            return true;
        }
        Long seen = lastSeenAtMicros.get(field);
        if (seen != null) {
            ages.put(field, atMicros - seen);
        }
        return false;
    }

    private @Nullable Double value(Signal.Value signal, long page, List<Device> instances) {
        ValueState own = states.get(signal);
        Double value = own == null ? null : read(own, page);
        if (value != null || isInstance()) {
            return value;
        }
        // A board's value stands on each of its instances; memory and the like are their sum. Of ratios there is
        // neither.
        for (Device device : instances) {
            ValueState state = device.states.get(signal);
            Double part = state == null ? null : read(state, page);
            if (part != null && signal.board()) {
                return part;
            }
            if (part != null && signal.combine() == Signal.Combine.SUM) {
                value = value == null ? part : Double.valueOf(value + part);
            }
        }
        return value;
    }

    private static @Nullable Double read(ValueState state, long page) {
        ValueState.Reading reading = state.reading(page);
        return reading == null ? null : Double.valueOf(reading.value());
    }

    private @Nullable ValueState boardState(Signal.Value signal, long page, List<Device> instances) {
        ValueState own = states.get(signal);
        if (own != null && own.reading(page) != null) {
            return own;
        }
        for (Device device : instances) {
            ValueState state = device.states.get(signal);
            if (state != null && state.reading(page) != null) {
                xids.putAll(device.xids);
                return state;
            }
        }
        return null;
    }

    /** Counts the counters of this page. */
    void count(long page) {
        states.values().stream().filter(ValueState::isCounter).forEach(state -> {
            state.cells(page).forEach(cell -> cell.count(ANY_PROCESS, false));
            state.count(page, true);
        });
    }

    /** Whether there is a count of events, which is truer than the last one's code. */
    private boolean countsEvents(long page, List<Device> instances) {
        return kind.signals().stream()
                .anyMatch(signal ->
                        signal.kind() == Signal.Kind.WINDOWED_COUNT && boardState(signal, page, instances) != null);
    }

    /** What changes is an event; the same code twice cannot be seen. */
    private boolean changedCode(GpuSample sample, ValueState state, long page) {
        ValueState.Reading reading = state.reading(page);
        double code = reading == null ? 0 : reading.value();
        boolean isEvent = lastCode != null && code != 0 && code != lastCode;
        lastCode = code;
        if (isEvent) {
            xidEvents++;
            sample.setXid(Math.round(code));
        }
        sample.setXidEventsTotal(xidEvents);
        return true;
    }

    /** What rises is events; a count falls when events leave its window, down to not being there. */
    private boolean risenCount(GpuSample sample, ValueState state, long page) {
        List<Cell> counts = state.cells(page);
        windows.keySet().retainAll(counts);
        for (Cell cell : counts) {
            Double before = windows.put(cell, cell.value());
            double start = before != null ? before : isRead ? 0 : cell.value();
            if (cell.value() > start) {
                xidEvents += Math.round(cell.value() - start);
                sample.setXid(code(xids.getOrDefault(cell, "")));
            }
        }
        sample.setXidEventsTotal(xidEvents);
        return true;
    }

    private @Nullable Integer index() {
        String number = labels.getOrDefault(kind.index(), "");
        return number.matches("\\d{1,4}") ? Integer.valueOf(number) : null;
    }

    private static @Nullable Long code(String text) {
        return text.matches("\\d{1,9}") ? Long.valueOf(text) : null;
    }
}
