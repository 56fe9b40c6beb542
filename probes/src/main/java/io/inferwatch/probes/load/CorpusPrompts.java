package io.inferwatch.probes.load;

import io.inferwatch.probes.corpus.Prompt;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/** The prompts of a corpus in an order that the seed decides, each once before any comes again. */
record CorpusPrompts(List<Quote> quotes) implements Prompts {
    CorpusPrompts {
        quotes = List.copyOf(quotes);
    }

    static CorpusPrompts of(List<Prompt> prompts) {
        return new CorpusPrompts(prompts.stream()
                .map(prompt -> new Quote(prompt.text(), prompt.tokens()))
                .toList());
    }

    CorpusPrompts shuffled(long seed) {
        List<Quote> shuffled = new ArrayList<>(quotes);
        Collections.shuffle(shuffled, new Random(seed));
        return new CorpusPrompts(shuffled);
    }

    @Override
    public Piece prompt(long number, SplittableRandom random) {
        return quotes.get((int) (number % quotes.size()));
    }
}
