package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.drift.Moments;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.shape.Estimate;
import io.inferwatch.analytics.shape.Proportion;
import io.inferwatch.analytics.shape.ShareOfMeans;
import io.inferwatch.analytics.shape.Spread;
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
                    .tag("stage", stage)
                    .count("n", sketch.n())
                    .estimate("mean", "seconds", MICROS, spread.map(Spread::mean))
                    .estimate("variation", spread.map(Spread::variation));
            if (chain.containsKey(stage)) {
                result.estimate("share", share(List.of(stage), chain));
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
                .tag("stage", "chain")
                .count("n", requests)
                .count("good", good)
                .value(
                        "mean_seconds",
                        MICROS
                                * chain.values().stream()
                                        .mapToDouble(Moments::mean)
                                        .sum())
                .value("requests_per_second", requests / seconds)
                .estimate("sustained", "per_second", 1 / seconds, Optional.of(Proportion.count(good)))
                .estimate("good_ratio", Proportion.of(good, requests))
                .estimate("preprocessing_share", share(PREPROCESSING, chain))
                .estimate("gpu_share", share(GPU, chain))
                .estimate("prefill_of_gpu", ShareOfMeans.of(List.of(prefill), List.of(decode)))
                .value("cached_ratio", cached / (double) (cached + computed))
                .build();
    }

    private static Optional<Estimate> share(List<String> stages, Map<String, Moments> chain) {
        List<Moments> part = new ArrayList<>();
        List<Moments> rest = new ArrayList<>();
        chain.forEach((stage, moments) -> (stages.contains(stage) ? part : rest).add(moments));
        return ShareOfMeans.of(part, rest);
    }
}
