package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.drift.Moments;
import io.inferwatch.analytics.shape.Estimate;
import io.inferwatch.analytics.shape.PowerLaw;
import io.inferwatch.analytics.shape.RatioOfMeans;
import io.inferwatch.influx.Field;
import io.inferwatch.jobs.window.Series;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.FigureRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Of each structure of prompts: tokens for a character, by how much more these are than of plain prompts of the same length
 * ({@link RatioOfMeans}), and how its time of tokenisation grows with length ({@link PowerLaw}).
 */
final class PromptShapeFigures {
    private static final String PLAIN = "plain";

    private PromptShapeFigures() {}

    /** Arms are structure and length. */
    static List<FigureResult> of(Map<String, WindowStat> byArm) {
        Map<String, Map<String, WindowReading>> byStructure = new TreeMap<>();
        byArm.forEach((arm, window) -> {
            List<String> values = Series.values(arm);
            byStructure
                    .computeIfAbsent(values.get(0), structure -> new TreeMap<>())
                    .put(values.get(1), new WindowReading(window));
        });
        Map<String, WindowReading> plain = byStructure.getOrDefault(PLAIN, Map.of());
        WindowStat any = byArm.values().iterator().next();
        List<FigureResult> results = new ArrayList<>();
        byStructure.forEach((structure, byLength) -> {
            List<PowerLaw.Point> points = new ArrayList<>();
            List<RatioOfMeans.Pair> pairs = new ArrayList<>();
            long n = 0;
            double tokens = 0;
            double characters = 0;
            for (Map.Entry<String, WindowReading> entry : byLength.entrySet()) {
                WindowReading reading = entry.getValue();
                Moments time = reading.moments("tokenize");
                Moments length = reading.moments("prompt_characters");
                Moments counted = reading.moments("prompt_tokens");
                n += counted.n();
                tokens += counted.n() * counted.mean();
                characters += length.n() * length.mean();
                if (time.n() >= Estimate.MIN_N && time.mean() > 0 && time.variance() > 0) {
                    points.add(new PowerLaw.Point(
                            length.mean(), time.mean(), time.variance() / (time.n() * time.mean() * time.mean())));
                }
                WindowReading against = plain.get(entry.getKey());
                if (against != null && !structure.equals(PLAIN)) {
                    pairs.add(new RatioOfMeans.Pair(bucket(reading), bucket(against)));
                }
            }
            results.add(new FigureBuilder(FigureRule.Kind.PROMPT_SHAPE, any)
                    .tag(Field.STRUCTURE, structure)
                    .count(Field.N, n)
                    .count(Field.LENGTHS, points.size())
                    .value(Field.TOKENS_PER_CHARACTER, tokens / characters)
                    .estimate(Field.INFLATION, RatioOfMeans.of(pairs))
                    .estimate(Field.TOKENIZE_EXPONENT, PowerLaw.exponent(points))
                    .build());
        });
        return results;
    }

    private static RatioOfMeans.Bucket bucket(WindowReading reading) {
        return new RatioOfMeans.Bucket(reading.moments("prompt_tokens"), reading.moments("prompt_characters"));
    }
}
