package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.schedule.BatchFill;
import io.inferwatch.analytics.schedule.SchedulerDeviation;
import io.inferwatch.analytics.shape.Spread;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.schemas.FigureResult;
import java.util.Optional;

/**
 * How far a replica's scheduler is from an ideal one ({@link SchedulerDeviation}). Each measure is told where it is known; deviations and
 * their index where all are. Readings count alike: probes read at equal intervals.
 */
final class SchedulerFigures {
    private static final double MICROS = 1e-6;
    private static final long MILLION = 1_000_000;

    private SchedulerFigures() {}

    static Optional<FigureResult> of(ReplicaWindows windows) {
        Optional<Spread> latency =
                windows.distribution(ReplicaWindows.OF_REQUESTS, "e2e").flatMap(Spread::of);
        Optional<Spread> lengths = windows.distribution(ReplicaWindows.OF_REQUESTS, "output_tokens")
                .flatMap(Spread::of);
        Optional<Spread> utilisation =
                windows.distribution(ReplicaWindows.OF_GPUS, "gpu_utilisation").flatMap(Spread::of);
        Optional<BatchFill> fill = fill(windows);
        if (latency.isEmpty() && utilisation.isEmpty() && fill.isEmpty()) {
            return Optional.empty();
        }
        FigureBuilder result = new FigureBuilder(
                        Measurement.SCHEDULER, windows.engine().orElseThrow())
                .estimate(Field.LATENCY_VARIATION, latency.map(Spread::variation))
                .estimate(Field.UTILISATION_VARIATION, utilisation.map(Spread::variation));
        latency.ifPresent(spread -> result.count(Field.N, spread.n())
                .value(
                        Field.LATENCY_SIGMA_SECONDS,
                        spread.variation().value() * spread.mean().value() * MICROS));
        lengths.ifPresent(spread ->
                result.value(Field.LENGTH_VARIATION, spread.variation().value()));
        fill.ifPresent(filled -> result.value(Field.FILL_RATE, filled.rate().orElse(Double.NaN))
                .value(Field.IDEAL_FILL_RATE, filled.idealRate().orElse(Double.NaN)));
        if (latency.isPresent() && lengths.isPresent() && utilisation.isPresent() && fill.isPresent()) {
            SchedulerDeviation deviation =
                    SchedulerDeviation.of(latency.get(), lengths.get(), utilisation.get(), fill.get());
            result.value(Field.LATENCY_DEVIATION, deviation.latencyDeviation())
                    .value(Field.UTILISATION_DEVIATION, deviation.utilisationDeviation())
                    .value(Field.FILL_DEVIATION, deviation.fillDeviation())
                    .value(Field.DEVIATION_INDEX, deviation.index());
        }
        return Optional.of(result.build());
    }

    /** Over readings that tell running, waiting and places, in millionths of the places; empty where nobody wanted one. */
    private static Optional<BatchFill> fill(ReplicaWindows windows) {
        Optional<QuantileSketch> running = windows.distribution(ReplicaWindows.OF_ENGINE, "batch_fill");
        Optional<QuantileSketch> wanted = windows.distribution(ReplicaWindows.OF_ENGINE, "batch_wanted");
        if (running.isEmpty()
                || wanted.isEmpty()
                || running.get().n() != wanted.get().n()) {
            return Optional.empty();
        }
        long places = Math.multiplyExact(running.get().n(), MILLION);
        return Optional.of(new BatchFill(running.get().sum(), wanted.get().sum(), places))
                .filter(fill -> fill.wanted() > 0);
    }
}
