package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.drift.Moments;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.shape.Estimate;
import io.inferwatch.analytics.shape.Proportion;
import io.inferwatch.analytics.shape.ShareOfMeans;
import io.inferwatch.analytics.shape.Spread;
import io.inferwatch.influx.Field;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.FigureRule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The service chain of a series: a result for each stage that is told, and one, {@code chain}, for all of them.
 *
 * <ul>
 *   <li><b>Stages</b> follow each other, so that the chain's mean is the sum of theirs. What the engine tells as a whole ({@code inference}) stands in
 *       the chain where its parts (queue, prefill, decode) are unknown; where they are known it is told, but not added to them.
 *   <li><b>Sustained</b> is the rate of requests that were answered in full within every limit: what the chain, and not the model server alone, is
 *       known to carry under the load that it had. It is no capacity: {@code good_ratio} says whether the load was too much for it.
 *   <li><b>Attribution</b>: preprocessing is parsing, filling the template and tokenisation; the GPU's part is prefill and decode.
 * </ul>
 */
final class StageFigures {
    private static final String INFERENCE = "inference";
    private static final List<String> PREPROCESSING = List.of("parse", "templating", "tokenize");
    private static final List<String> GPU = List.of("prefill", "decode");
    private static final List<String> PARTS = List.of("queue", "prefill", "decode");
    private static final List<String> STAGES = List.of(
            "gateway",
            "authentication",
            "guardrail",
            "parse",
            "templating",
            "tokenize",
            INFERENCE,
            "queue",
            "prefill",
            "decode",
            "assembly",
            "postprocess");
    private static final double MICROS = 1e-6;
    private static final String SECONDS = "seconds";
    private static final String PER_SECOND = "per_second";

    private StageFigures() {}

    static List<FigureResult> of(WindowStat window) {
        WindowReading reading = new WindowReading(window);
        Map<String, QuantileSketch> told = new LinkedHashMap<>();
        STAGES.forEach(stage -> reading.distribution(stage).ifPresent(sketch -> told.put(stage, sketch)));
        if (told.isEmpty()) {
            return List.of();
        }
        Map<String, Moments> chain = new LinkedHashMap<>();
        told.forEach((stage, sketch) -> chain.put(stage, Moments.of(sketch)));
        if (told.keySet().stream().anyMatch(GPU::contains)) {
            chain.remove(INFERENCE);
        } else {
            PARTS.forEach(part -> {
                if (chain.containsKey(INFERENCE)) {
                    chain.remove(part);
                }
            });
        }
        List<FigureResult> results = new ArrayList<>();
        told.forEach((stage, sketch) -> {
            Optional<Spread> spread = Spread.of(sketch);
            FigureBuilder result = new FigureBuilder(FigureRule.Kind.STAGE, window)
                    .tag(Field.STAGE, stage)
                    .count(Field.N, sketch.n())
                    .estimate(Field.MEAN, SECONDS, MICROS, spread.map(Spread::mean))
                    .estimate(Field.VARIATION, spread.map(Spread::variation));
            if (chain.containsKey(stage)) {
                result.estimate(Field.SHARE, share(List.of(stage), chain));
            }
            results.add(result.build());
        });
        results.add(chain(window, chain));
        return results;
    }

    private static FigureResult chain(WindowStat window, Map<String, Moments> chain) {
        WindowReading reading = new WindowReading(window);
        long requests = reading.sum("requests");
        long good = reading.sum("good");
        double seconds = window.getWindowMicros() * MICROS;
        Moments prefill = chain.getOrDefault("prefill", new Moments(0, 0, 0));
        Moments decode = chain.getOrDefault("decode", new Moments(0, 0, 0));
        long computed = reading.sum("prefilled_tokens");
        long cached = reading.sum("cached_tokens");
        return new FigureBuilder(FigureRule.Kind.STAGE, window)
                .tag(Field.STAGE, "chain")
                .count(Field.N, requests)
                .count(Field.GOOD, good)
                .value(
                        Field.estimate(Field.MEAN, SECONDS),
                        MICROS
                                * chain.values().stream()
                                        .mapToDouble(Moments::mean)
                                        .sum())
                .value(Field.estimate(Field.REQUESTS, PER_SECOND), requests / seconds)
                .estimate(Field.SUSTAINED, PER_SECOND, 1 / seconds, Optional.of(Proportion.count(good)))
                .estimate(Field.GOOD_RATIO, Proportion.of(good, requests))
                .estimate(Field.PREPROCESSING_SHARE, share(PREPROCESSING, chain))
                .estimate(Field.GPU_SHARE, share(GPU, chain))
                .estimate(Field.PREFILL_OF_GPU, ShareOfMeans.of(List.of(prefill), List.of(decode)))
                .value(Field.CACHED_RATIO, cached / (double) (cached + computed))
                .build();
    }

    private static Optional<Estimate> share(List<String> stages, Map<String, Moments> chain) {
        List<Moments> part = new ArrayList<>();
        List<Moments> rest = new ArrayList<>();
        chain.forEach((stage, moments) -> (stages.contains(stage) ? part : rest).add(moments));
        return ShareOfMeans.of(part, rest);
    }
}
