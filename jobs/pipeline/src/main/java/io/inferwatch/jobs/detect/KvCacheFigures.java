package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.memory.Figure;
import io.inferwatch.analytics.memory.Figure.Measured;
import io.inferwatch.analytics.memory.KvCacheReading;
import io.inferwatch.analytics.memory.LayerGroup;
import io.inferwatch.analytics.memory.LengthHistogram;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.schemas.Evidence;
import io.inferwatch.schemas.catalogue.LayerRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * A replica's KV cache in one minute. What the engine counts is measured; waste is estimated of its open sequences where it does not count tokens, and the part of it
 * in last blocks of how long sequences are when they end. A cache is a risk when it is used by so much and requests are preempted, or its peaks surely
 * fill it within the horizon.
 */
final class KvCacheFigures {
    private static final double MILLIONTHS = 1e-6;
    private static final double SECONDS_PER_HOUR = 3_600;

    private final String subject;
    private final WindowGroup engine;
    private final Optional<LengthHistogram> lengths;
    private final Histories histories;
    private final Configuration configuration;

    /**
     * Of a replica's windows.
     *
     * @param subject the group's name
     * @param lengths of its sequences
     */
    KvCacheFigures(
            String subject,
            WindowGroup engine,
            Optional<LengthHistogram> lengths,
            Histories histories,
            Configuration configuration) {
        this.subject = subject;
        this.engine = engine;
        this.lengths = lengths;
        this.histories = histories;
        this.configuration = configuration;
    }

    /** What the minute tells; nothing of an engine that does not tell of its cache. */
    MemoryFindings findings() throws Exception {
        if (engine.isEmpty()) {
            return MemoryFindings.NONE;
        }
        OptionalDouble usePpm = engine.mean("kv_use");
        OptionalDouble peakPpm = engine.peak("kv_use");
        if (usePpm.isEmpty() || peakPpm.isEmpty()) {
            return MemoryFindings.NONE;
        }
        double use = usePpm.getAsDouble() * MILLIONTHS;
        MinuteHistory history =
                histories.plus("kv", engine.first().getWindowEndMicros(), usePpm.getAsDouble(), peakPpm.getAsDouble());
        MemoryTrend trend = new MemoryTrend(history.trend(), 1 / MILLIONTHS);
        long preemptions = engine.sum("preemptions");
        FigureBuilder result = new FigureBuilder(
                        Measurement.KV_CACHE.measurementName(),
                        engine.first(),
                        engine.first().getDimensions())
                .count(Field.N, engine.samples())
                .count(Field.PREEMPTIONS, preemptions)
                .count(Field.CLAMPED, 0)
                .value(Field.USE, use)
                .value(Field.USE_MAX, peakPpm.getAsDouble() * MILLIONTHS);
        engine.mean("kv_stranded").ifPresent(ppm -> result.value(Field.STRANDED, ppm * MILLIONTHS));
        waste(use).ifPresent(figure -> result.figure(Field.WASTE, "", figure));
        tailWaste(use).ifPresent(figure -> result.figure(Field.TAIL_WASTE, "", figure));
        layerWaste().ifPresent(figure -> result.figure(Field.LAYER_WASTE, "", figure));
        trend.addTo(result, "per_hour", MILLIONTHS * SECONDS_PER_HOUR);
        return new MemoryFindings(List.of(result.build()), List.of(risk(use, preemptions, trend)));
    }

    private MemoryRisk risk(double use, long preemptions, MemoryTrend trend) {
        boolean isHigh = use >= configuration.limits().kvUse();
        List<Evidence> evidence = new ArrayList<>();
        DriftAlerts.add(
                evidence,
                "share of the KV cache in use",
                use,
                configuration.limits().kvUse(),
                "on average over the minute");
        DriftAlerts.add(evidence, "requests preempted", (double) preemptions, 0.0, "in the minute");
        trend.addTo(evidence);
        return new MemoryRisk(
                DeviceFigures.MEMORY_ALERT,
                subject,
                engine.first().getView(),
                engine.first().getDimensions(),
                isHigh
                        && (preemptions > 0
                                || trend.isFullWithin(configuration.limits().memoryHorizon())),
                String.format(
                        Locale.ROOT,
                        "the KV cache is used by %.0f %%, %d requests preempted in the minute; %s",
                        100 * use,
                        preemptions,
                        trend.text()),
                evidence);
    }

    private Optional<? extends Figure> waste(double use) {
        OptionalDouble counted = engine.mean("kv_waste");
        if (counted.isPresent()) {
            return Optional.of(new Measured(counted.getAsDouble() * MILLIONTHS));
        }
        OptionalLong tokens = engine.whole("decode_tokens");
        return tokens.isEmpty()
                ? Optional.empty()
                : cache(use).flatMap(cache -> cache.estimatedWaste(tokens.getAsLong(), 0));
    }

    private Optional<? extends Figure> tailWaste(double use) {
        OptionalLong sequences = engine.whole("running_requests");
        return sequences.isEmpty()
                ? Optional.empty()
                : cache(use)
                        .flatMap(cache ->
                                lengths.flatMap(known -> cache.estimatedTailWaste(sequences.getAsLong(), known)));
    }

    private Optional<? extends Figure> layerWaste() {
        LayerRule rule = configuration.layers().get(engine.dimension("model", ""));
        return rule == null
                ? Optional.empty()
                : lengths.map(known -> LayerGroup.waste(
                        List.of(
                                LayerGroup.full(rule.full(), known),
                                LayerGroup.sliding(rule.sliding(), rule.windowTokens(), known)),
                        known.tokens() / known.n()));
    }

    /** The cache on average; its used blocks by its use where the engine does not count them. */
    private Optional<KvCacheReading> cache(double use) {
        OptionalLong blockTokens = engine.whole("kv_block_tokens");
        OptionalLong blocks = engine.whole("kv_blocks");
        if (blockTokens.isEmpty() || blocks.isEmpty() || blockTokens.getAsLong() == 0 || blocks.getAsLong() == 0) {
            return Optional.empty();
        }
        long used = engine.whole("kv_used_blocks").orElse(Math.round(use * blocks.getAsLong()));
        return Optional.of(
                new KvCacheReading(blockTokens.getAsLong(), blocks.getAsLong(), Math.min(used, blocks.getAsLong())));
    }
}
