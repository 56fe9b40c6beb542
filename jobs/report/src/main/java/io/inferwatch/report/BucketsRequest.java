package io.inferwatch.report;

import io.inferwatch.analytics.memory.Boundaries;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Which boundaries are asked for: of a model's lengths, or batches.
 *
 * @param sketches by model, and by version where one is named
 * @param count how many boundaries there may be
 * @param current the present ones
 */
record BucketsRequest(
        SketchRequest sketches, String model, Optional<String> version, int count, Optional<Boundaries> current) {
    private static final int MIN_COUNT = 2;
    private static final int MAX_COUNT = 128;
    /** All else is no matter of padding. */
    private static final List<String> METRICS = List.of("sequence_tokens", "batch_size");

    /**
     * A request that can be met.
     *
     * @throws InvalidRequestException with what it cannot meet
     */
    static BucketsRequest of(
            MetricCatalogue catalogue,
            String metric,
            String model,
            Optional<String> version,
            int count,
            List<Long> current,
            Instant from,
            Instant to) {
        if (count < MIN_COUNT || count > MAX_COUNT) {
            throw new InvalidRequestException(
                    "--k: must be from " + MIN_COUNT + " to " + MAX_COUNT + ", found " + count);
        }
        if (!METRICS.contains(metric)) {
            throw new InvalidRequestException(
                    "--metric: must be " + String.join(" or ", METRICS) + ", found '" + metric + "'");
        }
        return new BucketsRequest(
                SketchRequest.of(
                        catalogue,
                        metric,
                        version.isPresent() ? List.of("model", "version") : List.of("model"),
                        from,
                        to),
                model,
                version,
                count,
                current.isEmpty() ? Optional.empty() : Optional.of(boundaries(current)));
    }

    /** Whether these values of the sketches' dimensions are asked for. */
    boolean takes(List<String> values) {
        return values.get(0).equals(model)
                && (version.isEmpty() || values.get(1).equals(version.get()));
    }

    private static Boundaries boundaries(List<Long> current) {
        try {
            return new Boundaries(current);
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException("--current: must be whole numbers from 1 on that rise, found " + current);
        }
    }
}
