package io.inferwatch.simulation.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Schedules worked out by hand, in microseconds: a step costs 10,000, a prompt token 100, a decoding sequence 1,000. */
class EngineTest {
    private static final CostModel ROUND = new CostModel(10_000_000, 100_000, 0, 1_000_000, 0);
    private static final EngineSpec SPEC = new EngineSpec(4, 100, 100, 8, 400, true, ROUND);

    private final Timeline timeline = new Timeline();

    /** Keeps when tokens came, in microseconds. */
    private final class Recorder implements SequenceListener {
        final List<Long> tokenMicros = new ArrayList<>();
        int ends;

        @Override
        public void onToken(Sequence sequence) {
            tokenMicros.add(timeline.nowNanos() / 1_000);
        }

        @Override
        public void onEnd(Sequence sequence) {
            ends++;
        }
    }

    @Test
    void oneSequencePaysForItsPromptOnceAndThenForEachToken() {
        Engine engine = engine(SPEC);
        Recorder answer = new Recorder();
        engine.add(prompt(1, 20), 3, answer);

        timeline.runUntil(1_000_000_000);

        // 10,000 + 20 x 100, then twice 10,000 + 1,000.
        assertThat(answer.tokenMicros).containsExactly(12_000L, 23_000L, 34_000L);
        assertThat(answer.ends).isEqualTo(1);
        assertThat(engine.state().usedBlocks()).isZero();
    }

    @Test
    void longPromptsAreComputedInChunksOfTheBudgetBesideWhatDecodes() {
        Engine engine = engine(SPEC.withLimits(30, 8));
        Recorder first = new Recorder();
        Recorder second = new Recorder();
        engine.add(prompt(1, 10), 4, first);
        engine.add(prompt(2, 65), 2, second);

        timeline.runUntil(1_000_000_000);

        // 1: 10 + 20 prompt tokens; 2: decode and 29; 3: decode and the last 16; 4: both decode.
        assertThat(first.tokenMicros).containsExactly(13_000L, 26_900L, 39_500L, 51_500L);
        assertThat(second.tokenMicros).containsExactly(39_500L, 51_500L);
    }

    @Test
    void waitingSequencesBeginOnlyWhenOneOfTheRunningHasEnded() {
        Engine engine = engine(SPEC.withLimits(100, 1));
        Recorder first = new Recorder();
        Recorder second = new Recorder();
        engine.add(prompt(1, 10), 2, first);
        Sequence waiting = engine.add(prompt(2, 10), 1, second);

        timeline.runUntil(11_500_000);
        assertThat(engine.state().running()).isEqualTo(1);
        assertThat(engine.state().waiting()).isEqualTo(1);
        timeline.runUntil(1_000_000_000);

        // 11,000 prefill, 11,000 decode, then the other's prefill.
        assertThat(first.tokenMicros).containsExactly(11_000L, 22_000L);
        assertThat(second.tokenMicros).containsExactly(33_000L);
        assertThat(waiting.scheduledNanos()).hasValue(22_000_000);
    }

    @Test
    void promptsThatBeginAlikeShareBlocksAndSkipTheirPrefill() {
        Engine engine = engine(SPEC);
        engine.add(Prompt.ofParts(List.of(new Prompt.Part(7, 40), new Prompt.Part(1, 10)), 4), 1, new Recorder());
        timeline.runUntil(1_000_000_000);
        Recorder answer = new Recorder();
        Sequence second =
                engine.add(Prompt.ofParts(List.of(new Prompt.Part(7, 42), new Prompt.Part(2, 8)), 4), 1, answer);

        timeline.runUntil(2_000_000_000);

        // Ten blocks of four are common; ten tokens remain.
        assertThat(second.cachedTokens()).isEqualTo(40);
        assertThat(answer.tokenMicros).containsExactly(1_000_000L + 11_000);
        assertThat(engine.state().cachedTokens()).isEqualTo(40);
        assertThat(engine.state().promptTokens()).isEqualTo(100);
    }

    @Test
    void aPromptThatIsCachedWholeStillComputesItsLastBlock() {
        Engine engine = engine(SPEC);
        engine.add(prompt(1, 16), 1, new Recorder());
        timeline.runUntil(1_000_000_000);
        Recorder answer = new Recorder();
        Sequence same = engine.add(prompt(1, 16), 1, answer);

        timeline.runUntil(2_000_000_000);

        assertThat(same.cachedTokens()).isEqualTo(12);
        assertThat(answer.tokenMicros).containsExactly(1_000_000L + 10_400);
    }

    @Test
    void aColdCacheKnowsNothing() {
        Engine engine = engine(SPEC);
        engine.add(prompt(1, 16), 1, new Recorder());
        timeline.runUntil(1_000_000_000);
        engine.setCold(true);
        Sequence same = engine.add(prompt(1, 16), 1, new Recorder());
        timeline.runUntil(2_000_000_000);
        engine.setCold(false);
        Sequence again = engine.add(prompt(1, 16), 1, new Recorder());
        timeline.runUntil(3_000_000_000L);

        assertThat(same.cachedTokens()).isZero();
        assertThat(again.cachedTokens()).isZero();
    }

    @Test
    void whoNeedsABlockTakesThoseOfTheLastWhichIsComputedAgain() {
        // Six blocks of four: each prompt has two full ones and one begun.
        Engine engine = engine(SPEC.withBlocks(6).withoutPrefixCaching());
        Recorder first = new Recorder();
        Recorder second = new Recorder();
        engine.add(prompt(1, 9), 5, first);
        Sequence preempted = engine.add(prompt(2, 9), 5, second);

        timeline.runUntil(1_000_000_000);

        // Prefill of 18; three decodes of both (places 10, 11, 12 of the third block); the fifth token needs a fourth
        // block: the second sequence
        // gives up its three. It begins again when the first has ended: 9 + 4 tokens, and that brings its last token.
        assertThat(first.tokenMicros).containsExactly(11_800L, 23_800L, 35_800L, 47_800L, 58_800L);
        assertThat(second.tokenMicros).containsExactly(11_800L, 23_800L, 35_800L, 47_800L, 70_100L);
        assertThat(preempted.preemptions()).isEqualTo(1);
        assertThat(engine.state().preemptions()).isEqualTo(1);
        assertThat(engine.state().recomputedTokens()).isEqualTo(13);
        assertThat(engine.state().outputTokens()).isEqualTo(10);
    }

    @Test
    void aSlowEngineTakesThatManyTimesAsLongFromTheNextStepOn() {
        Engine engine = engine(SPEC);
        Recorder answer = new Recorder();
        engine.add(prompt(1, 10), 3, answer);
        timeline.runUntil(1_000_000);
        engine.setSlowness(3);

        timeline.runUntil(1_000_000_000);

        assertThat(answer.tokenMicros).containsExactly(11_000L, 11_000L + 33_000, 11_000L + 66_000);
    }

    @Test
    void withheldBlocksKeepSequencesWaitingUntilTheyAreGivenBack() {
        Engine engine = engine(SPEC.withBlocks(10));
        engine.withholdBlocks(8);
        Recorder answer = new Recorder();
        engine.add(prompt(1, 10), 1, answer);
        timeline.runUntil(500_000_000);
        assertThat(answer.tokenMicros).isEmpty();
        assertThat(engine.state().waiting()).isEqualTo(1);

        engine.withholdBlocks(0);
        timeline.runUntil(1_000_000_000);

        assertThat(answer.tokenMicros).containsExactly(511_000L);
    }

    @Test
    void aCancelledSequenceLeavesAtOnceAndNoTokenOfItComesLater() {
        Engine engine = engine(SPEC);
        Recorder answer = new Recorder();
        Sequence sequence = engine.add(prompt(1, 10), 5, answer);
        timeline.runUntil(15_000_000);
        engine.cancel(sequence);
        assertThat(engine.state().usedBlocks()).isZero();
        timeline.runUntil(1_000_000_000);

        assertThat(answer.tokenMicros).containsExactly(11_000L);
        assertThat(answer.ends).isZero();
        assertThat(engine.state().cancelled()).isEqualTo(1);
    }

    @Test
    void attentionCostsWhatPairsAndContextCost() {
        CostModel cost = new CostModel(0, 0, 10, 0, 100);
        // Five tokens after ten: 5 x 10 + 5 x 6 / 2 pairs. One sequence of 40 tokens.
        StepWork work = StepWork.NONE.withPrefill(10, 5).withDecode(40);

        assertThat(cost.stepNanos(work, 1)).isEqualTo(65 * 10 + 40 * 100);
    }

    @Test
    void theDefaultCostsAreThoseOfTheDataSheet() {
        CostModel cost = CostModel.llama8bOnA100();

        // 16.06 GB at 1,631 GB/s and 1 ms; 16.06 GFLOP at 156 TFLOP/s; 131,072 bytes.
        assertThat(cost.stepNanos(StepWork.NONE.withDecode(0), 1)).isBetween(10_860_000L, 10_870_000L);
        assertThat(cost.prefillTokenNanos()).isBetween(102_900.0, 103_000.0);
        assertThat(cost.decodeContextNanos()).isBetween(80.0, 81.0);
    }

    @Test
    void whatCanNeverFitIsRefused() {
        Engine engine = engine(SPEC.withBlocks(5));

        assertThatThrownBy(() -> engine.add(prompt(1, 18), 3, new Recorder()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("sequence: must have 1 to 20 tokens, found 18 and 3");
    }

    @Test
    void nothingIsLostUnderRandomLoadWithFaultsAndCancellationsSeed1To20() {
        for (int seed = 1; seed <= 20; seed++) {
            RandomRun run = new RandomRun(seed);
            run.play();

            EngineState state = run.engine.state();
            assertThat(state.running() + state.waiting()).as("seed %d", seed).isZero();
            assertThat(state.usedBlocks()).as("seed %d", seed).isZero();
            assertThat(state.added()).as("seed %d", seed).isEqualTo(state.ended() + state.cancelled());
            assertThat(state.outputTokens()).as("seed %d", seed).isEqualTo(run.tokens);
            assertThat(state.preemptions()).as("seed %d", seed).isPositive();
            assertThat(state.cachedTokens()).as("seed %d", seed).isPositive();
            assertThat(run.wholeAnswers).as("seed %d", seed).isEqualTo(state.ended());
        }
    }

    @Test
    void theSameLoadGivesTheSameScheduleSeed3() {
        RandomRun one = new RandomRun(3);
        RandomRun other = new RandomRun(3);
        one.play();
        other.play();

        assertThat(one.log).isEqualTo(other.log).hasSizeGreaterThan(2_000);
        assertThat(new RandomRun(4).play()).isNotEqualTo(one.log);
    }

    /** 200 sequences of any size against a small cache, with faults and cancellations; counts what comes out by itself. */
    private static final class RandomRun {
        final Timeline timeline = new Timeline();
        final Engine engine;
        final List<Long> log = new ArrayList<>();
        long tokens;
        long wholeAnswers;
        private final SplittableRandom random;
        private final EngineSpec spec = SPEC.withBlocks(60).withLimits(50, 6);

        RandomRun(int seed) {
            random = new SplittableRandom(seed);
            engine = new Engine(spec, timeline, this::check);
        }

        List<Long> play() {
            for (int i = 0; i < 200; i++) {
                Prompt prompt = Prompt.ofParts(
                        List.of(
                                new Prompt.Part(random.nextInt(3), random.nextInt(60)),
                                new Prompt.Part(100 + i, 1 + random.nextInt(60))),
                        spec.blockTokens());
                int wanted = 1 + random.nextInt(60);
                boolean isCancelled = random.nextInt(8) == 0;
                long cancelAfterNanos = random.nextLong(2_000_000_000);
                timeline.at(random.nextLong(20_000_000_000L), () -> {
                    Sequence sequence = engine.add(prompt, wanted, new Counter(wanted));
                    if (isCancelled) {
                        timeline.after(cancelAfterNanos, () -> engine.cancel(sequence));
                    }
                });
            }
            timeline.at(5_000_000_000L, () -> engine.withholdBlocks(30));
            timeline.at(8_000_000_000L, () -> engine.withholdBlocks(0));
            timeline.at(9_000_000_000L, () -> engine.setCold(true));
            timeline.at(10_000_000_000L, () -> engine.setCold(false));
            timeline.runUntil(1_000_000_000_000L);
            return log;
        }

        private void check(StepWork work) {
            assertThat(work.prefillTokens() + work.decodeSequences()).isBetween(1L, 50L);
            EngineState state = engine.state();
            assertThat(state.running()).isBetween(1, 6);
            assertThat(state.usedBlocks()).isBetween(1, 60);
            assertThat(state.added()).isEqualTo(state.running() + state.waiting() + state.ended() + state.cancelled());
        }

        private final class Counter implements SequenceListener {
            private final int wanted;

            Counter(int wanted) {
                this.wanted = wanted;
            }

            @Override
            public void onToken(Sequence sequence) {
                tokens++;
                log.add(timeline.nowNanos());
            }

            @Override
            public void onEnd(Sequence sequence) {
                wholeAnswers += sequence.outputTokens() == wanted ? 1 : 0;
            }
        }
    }

    @Test
    void textsShareTheBlocksThatTheyHaveInCommon() {
        char[] common = new char[160];
        Arrays.fill(common, 'a');
        Prompt one = Prompt.ofText(new String(common) + "one ending, quite long", 4);
        Prompt other = Prompt.ofText(new String(common) + "another ending", 4);

        // 160 characters are 40 tokens, ten blocks.
        assertThat(one.tokens()).isEqualTo(46);
        for (int block = 0; block < 10; block++) {
            assertThat(one.blockHash(block)).isEqualTo(other.blockHash(block));
        }
        assertThat(one.blockHash(10)).isNotEqualTo(other.blockHash(10));
    }

    private Engine engine(EngineSpec spec) {
        return new Engine(spec, timeline, work -> {});
    }

    private static Prompt prompt(long content, int tokens) {
        return Prompt.of(content << 32, tokens, SPEC.blockTokens());
    }
}
