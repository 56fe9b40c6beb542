package io.inferwatch.probes.engine;

import io.inferwatch.probes.engine.exposition.PageReader;
import io.inferwatch.probes.engine.mapping.RecordField;
import io.inferwatch.probes.engine.mapping.Signal;
import io.inferwatch.schemas.EngineHistogram;
import io.inferwatch.schemas.EngineSample;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What a target has told of one engine. Belongs to the target's thread. */
final class EngineState {
    private static final MathContext DIGITS = new MathContext(12);

    private final Map<Signal.Value, ValueState> values = new LinkedHashMap<>();
    private final Map<Signal.Distribution, DistributionState> distributions = new LinkedHashMap<>();
    private final Map<Signal.Info, InfoState> infos = new LinkedHashMap<>();

    ValueState value(Signal.Value signal) {
        return values.computeIfAbsent(signal, ValueState::new);
    }

    DistributionState distribution(Signal.Distribution signal) {
        return distributions.computeIfAbsent(signal, DistributionState::new);
    }

    InfoState info(Signal.Info signal) {
        return infos.computeIfAbsent(signal, InfoState::new);
    }

    Collection<ValueState> values() {
        return values.values();
    }

    Collection<DistributionState> distributions() {
        return distributions.values();
    }

    Collection<InfoState> infos() {
        return infos.values();
    }

    /** Adds what the counters of a page have counted, or throws it away. */
    void count(long page, boolean valid) {
        for (ValueState value : values.values()) {
            if (value.isCounter()) {
                value.count(page, valid);
            }
        }
        for (DistributionState distribution : distributions.values()) {
            distribution.count(page, valid);
        }
    }

    /**
     * Says on a sample what a page told and the sample does not say yet.
     *
     * @param isUnstable whether totals mean nothing now
     * @return whether the page told anything of this engine
     */
    boolean fill(EngineSample sample, long page, boolean isUnstable, Set<String> marks) {
        boolean says = fillValues(sample, page, isUnstable, marks);
        says |= fillInfos(sample, page);
        says |= fillHistograms(sample, isUnstable, marks);
        return says;
    }

    private boolean fillValues(EngineSample sample, long page, boolean isUnstable, Set<String> marks) {
        boolean says = false;
        Map<String, Long> ages = new HashMap<>(sample.getAgesMicros());
        for (ValueState value : values.values()) {
            ValueState.Reading reading = value.reading(page);
            says |= reading != null;
            RecordField field = value.signal().field();
            if (reading == null || !field.isUnset(sample) || (isUnstable && value.isCounter())) {
                continue;
            }
            field.set(sample, reading.value());
            if (reading.atMillis() != PageReader.NO_TIME && reading.atMillis() * 1_000 < sample.getSampledAtMicros()) {
                ages.put(field.name(), sample.getSampledAtMicros() - reading.atMillis() * 1_000);
            }
            String mark = value.signal().mark();
            if (mark != null) {
                marks.add(mark);
            }
        }
        sample.setAgesMicros(ages);
        return says;
    }

    private boolean fillHistograms(EngineSample sample, boolean isUnstable, Set<String> marks) {
        boolean says = false;
        List<EngineHistogram> histograms = new ArrayList<>(sample.getHistograms());
        for (DistributionState state : distributions.values()) {
            says |= state.series() != null;
            boolean isTold = histograms.stream()
                    .anyMatch(histogram ->
                            histogram.getSignal().equals(state.signal().name()));
            EngineHistogram histogram = isTold || isUnstable ? null : state.histogram();
            if (histogram != null) {
                histograms.add(histogram);
                if (state.isSaturated()) {
                    marks.add("saturated-histogram");
                }
            }
        }
        sample.setHistograms(histograms);
        return says;
    }

    private boolean fillInfos(EngineSample sample, long page) {
        boolean says = false;
        for (InfoState info : infos.values()) {
            Map<String, String> labels = info.labels(page);
            if (labels == null) {
                continue;
            }
            says = true;
            info.signal().numbers().forEach((field, label) -> {
                String number = labels.getOrDefault(label, "");
                if (number.matches("\\d{1,15}") && field.isUnset(sample)) {
                    field.set(sample, Double.parseDouble(number));
                }
            });
            info.signal().lists().forEach((field, label) -> field.set(sample, items(labels.getOrDefault(label, ""))));
            Map<String, String> configuration = new TreeMap<>(sample.getConfiguration());
            for (String label : info.signal().configuration()) {
                String value = labels.getOrDefault(label, "");
                if (!value.isEmpty()) {
                    configuration.put(label, value);
                }
            }
            sample.setConfiguration(configuration);
        }
        return says;
    }

    /** What a page told, signal by signal. */
    List<TargetReadings.Finding> findings(String engine, long page) {
        List<TargetReadings.Finding> findings = new ArrayList<>();
        for (ValueState value : values.values()) {
            ValueState.Reading raw = value.raw(page);
            if (raw != null) {
                findings.add(new TargetReadings.Finding(
                        engine,
                        value.signal().name(),
                        new BigDecimal(raw.value())
                                .round(DIGITS)
                                .stripTrailingZeros()
                                .toPlainString(),
                        raw.series()));
            }
        }
        for (InfoState info : infos.values()) {
            Map<String, String> labels = info.labels(page);
            if (labels != null) {
                Map<RecordField, String> told =
                        new LinkedHashMap<>(info.signal().numbers());
                told.putAll(info.signal().lists());
                told.forEach((field, label) -> findings.add(new TargetReadings.Finding(
                        engine,
                        field.name(),
                        labels.getOrDefault(label, ""),
                        info.signal().names().get(0).get(0).series() + "{" + label + "}")));
            }
        }
        for (DistributionState state : distributions.values()) {
            String series = state.series();
            if (series != null) {
                findings.add(new TargetReadings.Finding(
                        engine,
                        state.signal().name(),
                        "histogram of " + state.grid().bounds().length + " buckets",
                        series));
            }
        }
        return findings;
    }

    private static List<String> items(String list) {
        return Arrays.stream(list.split(",", -1))
                .map(String::trim)
                .filter(item -> !item.isEmpty())
                .toList();
    }
}
