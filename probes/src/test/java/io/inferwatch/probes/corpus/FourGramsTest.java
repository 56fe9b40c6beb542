package io.inferwatch.probes.corpus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FourGramsTest {
    /** Fifteen tokens, all different, have twelve runs: log2 12 bits. One token over and over has one. */
    @Test
    void bitsOfTextsWhoseRunsAreKnown() {
        assertThat(FourGrams.bits(IntStream.range(0, 15).toArray())).isCloseTo(3.584_962_5, within(1e-6));
        assertThat(FourGrams.bits(new int[100])).isZero();
        assertThat(FourGrams.bits(new int[] {1, 2, 3})).isZero();
        // a b a b ...: two runs, as often one as the other.
        assertThat(FourGrams.bits(IntStream.range(0, 103).map(i -> i % 2).toArray()))
                .isCloseTo(1, within(1e-9));
    }

    /** 200,000 texts of one run each, of which run i comes i times in turn: the true entropy is known from the counts, and a counter that may keep 4,096 of them comes near. */
    @Test
    void aShareOfTheRunsTellsTheEntropyOfAll() {
        FourGrams exact = new FourGrams(1 << 20);
        FourGrams small = new FourGrams(1 << 12);
        double sum = 0;
        long n = 0;
        for (int run = 0; run < 50_000; run++) {
            int times = 1 + run % 7;
            for (int i = 0; i < times; i++) {
                int[] tokens = {run, run >> 4, 7, 11};
                exact.add(tokens);
                small.add(tokens);
            }
            n += times;
            sum += times * Math.log(times);
        }
        double truth = (Math.log((double) n) - sum / n) / Math.log(2);
        assertThat(exact.bits()).isCloseTo(truth, within(1e-9));
        assertThat(small.bits()).isCloseTo(truth, within(0.05));
    }
}
