package io.inferwatch.probes.corpus;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How prompts are fit to stand for traffic.
 *
 * @param p10Tokens order statistics of the prompts' lengths, of ranks ceil(p n)
 * @param entropyBits of the runs of four tokens of all prompts
 * @param inflation tokens of each structure against the plain prompts', in {@link #INFLATION_SAMPLE} of them
 * @param densities tokens for a character of each structure against the plain prompts'
 */
record Quality(
        long prompts,
        long tokens,
        long p10Tokens,
        long p50Tokens,
        long p90Tokens,
        double entropyBits,
        Map<String, Double> inflation,
        Map<String, Double> densities) {
    static final int LEAST_TOKENS = 15;
    static final int MOST_TOKENS = 2_048;
    static final double LEAST_BITS = 3.2;

    private static final int INFLATION_SAMPLE = 1_000;

    static Quality of(List<Prompt> prompts, Tokens vocabulary) {
        int[] lengths = prompts.stream().mapToInt(Prompt::tokens).sorted().toArray();
        FourGrams grams = new FourGrams();
        prompts.forEach(prompt -> grams.add(vocabulary.of(prompt.text())));
        Map<String, Double> inflation = new LinkedHashMap<>();
        Map<String, Double> densities = new LinkedHashMap<>();
        int step = Math.max(1, prompts.size() / INFLATION_SAMPLE);
        double plainTokens = 0;
        double plainCharacters = 0;
        for (PromptStructure structure : PromptStructure.values()) {
            double tokens = 0;
            double characters = 0;
            for (int i = 0; i < prompts.size(); i += step) {
                String text = structure.of(prompts.get(i).text());
                tokens += vocabulary.count(text);
                characters += text.length();
            }
            if (structure == PromptStructure.PLAIN) {
                plainTokens = tokens;
                plainCharacters = characters;
            }
            if (plainTokens > 0) {
                inflation.put(structure.label(), tokens / plainTokens);
                densities.put(structure.label(), tokens / characters / (plainTokens / plainCharacters));
            }
        }
        return new Quality(
                lengths.length,
                Arrays.stream(lengths).asLongStream().sum(),
                quantile(lengths, 10),
                quantile(lengths, 50),
                quantile(lengths, 90),
                grams.bits(),
                inflation,
                densities);
    }

    /** What is wrong with it, a line each. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        if (prompts == 0) {
            problems.add("prompts: must be there, found none");
            return problems;
        }
        if (p10Tokens < LEAST_TOKENS) {
            problems.add("tokens: must be at least " + LEAST_TOKENS + " at P10, found " + p10Tokens);
        }
        if (p90Tokens > MOST_TOKENS) {
            problems.add("tokens: must be at most " + MOST_TOKENS + " at P90, found " + p90Tokens);
        }
        if (entropyBits < LEAST_BITS) {
            problems.add(
                    "entropy of four-grams: must be at least %.1f bits, found %.2f".formatted(LEAST_BITS, entropyBits));
        }
        return problems;
    }

    private static long quantile(int[] sorted, int percent) {
        return sorted.length == 0 ? 0 : sorted[(int) (((long) percent * sorted.length + 99) / 100) - 1];
    }
}
