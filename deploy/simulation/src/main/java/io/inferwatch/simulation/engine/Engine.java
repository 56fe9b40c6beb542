package io.inferwatch.simulation.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;

/**
 * Continuous batching as vLLM does it. Each step has a budget of tokens. Running sequences come first, in the order in which they began:
 * one token for those that decode, the next part of the prompt for those that do not (chunked prefill). What is left goes to waiting ones,
 * first come first served, as long as their blocks can be had; blocks of their prompts that the prefix cache knows are shared and not
 * computed. A running sequence that needs a block when there is none takes those of the sequence that began last, which goes back to the
 * head of the queue and is computed again from its beginning; in such a step no waiting one begins. A step takes what {@link CostModel}
 * says, and at its end each sequence whose known tokens are all computed gets its next token.
 *
 * <p>Full blocks of prompts are remembered, those of answers are not. added = running + waiting + ended + cancelled, and blocks in use
 * belong to running sequences alone, at any moment. Runs on its timeline's thread.
 */
public final class Engine {
    private final EngineSpec spec;
    private final Timeline timeline;
    private final Consumer<StepWork> steps;
    private final BlockPool pool;
    private final List<Sequence> running = new ArrayList<>();
    private final Deque<Sequence> waiting = new ArrayDeque<>();

    private double slowness = 1;
    private boolean isCold;
    private boolean isStepping;
    private long stepCount;
    private long promptTokens;
    private long cachedTokens;
    private long recomputedTokens;
    private long outputTokens;
    private long preemptions;
    private long added;
    private long ended;
    private long cancelled;

    /**
     * An idle engine.
     *
     * @param steps told the work of every step when it begins
     */
    public Engine(EngineSpec spec, Timeline timeline, Consumer<StepWork> steps) {
        this.spec = spec;
        this.timeline = timeline;
        this.steps = steps;
        this.pool = new BlockPool(spec.blocks());
    }

    /**
     * Puts a prompt into the queue.
     *
     * @param wantedTokens length of the answer, at least 1
     * @throws IllegalArgumentException when prompt and answer are longer than any sequence can be
     */
    public Sequence add(Prompt prompt, int wantedTokens, SequenceListener listener) {
        if (wantedTokens < 1 || (long) prompt.tokens() + wantedTokens > spec.longestSequence()) {
            throw new IllegalArgumentException("sequence: must have 1 to %d tokens, found %d and %d"
                    .formatted(spec.longestSequence(), prompt.tokens(), wantedTokens));
        }
        Sequence sequence = new Sequence(prompt, wantedTokens, listener, timeline.nowNanos());
        waiting.add(sequence);
        added++;
        wake();
        return sequence;
    }

    /** Takes a sequence out, wherever it is; does nothing when it is over. */
    public void cancel(Sequence sequence) {
        if (sequence.isOver()) {
            return;
        }
        sequence.abandon();
        cancelled++;
        waiting.remove(sequence);
        if (running.remove(sequence)) {
            release(sequence);
        }
        wake();
    }

    /** Makes every step from the next one on take this many times as long. */
    public void setSlowness(double factor) {
        slowness = factor;
    }

    /** Takes so many blocks from use; those in use stay until their sequences end or are preempted. */
    public void withholdBlocks(int blocks) {
        pool.withhold(blocks);
        wake();
    }

    /** While cold, the prefix cache knows nothing; what it knew is lost. */
    public void setCold(boolean cold) {
        isCold = cold;
        if (cold) {
            pool.forgetAll();
        }
    }

    /** What goes on now. */
    public EngineState state() {
        return new EngineState(
                running.size(),
                waiting.size(),
                pool.used(),
                pool.withheld(),
                pool.size(),
                running.stream().mapToLong(Sequence::computedTokens).sum(),
                stepCount,
                promptTokens,
                cachedTokens,
                recomputedTokens,
                outputTokens,
                preemptions,
                added,
                ended,
                cancelled);
    }

    /** After all that happens at this moment, so that what arrives together begins together. */
    private void wake() {
        if (!isStepping) {
            isStepping = true;
            timeline.after(0, this::beginStep);
        }
    }

    private void beginStep() {
        StepWork work = schedule();
        if (work.equals(StepWork.NONE)) {
            isStepping = false;
            return;
        }
        stepCount++;
        steps.accept(work);
        timeline.after(spec.cost().stepNanos(work, slowness), this::endStep);
    }

    private void endStep() {
        for (Sequence sequence : List.copyOf(running)) {
            // One that a listener has cancelled meanwhile is no longer there.
            if (sequence.stepTokens > 0 && !sequence.isOver()) {
                end(sequence);
            }
        }
        beginStep();
    }

    private void end(Sequence sequence) {
        int before = sequence.computedTokens();
        sequence.computed();
        rememberBlocksFilled(sequence, before);
        if (!sequence.isTokenDue()) {
            return;
        }
        outputTokens++;
        sequence.emit();
        if (sequence.isOver() && running.remove(sequence)) {
            ended++;
            release(sequence);
        }
    }

    private StepWork schedule() {
        long preemptionsBefore = preemptions;
        StepWork work = scheduleRunning();
        boolean hasPreempted = preemptions > preemptionsBefore;
        // When all that ran was preempted there is nothing to protect from newcomers.
        return hasPreempted && !running.isEmpty() ? work : scheduleWaiting(work);
    }

    private StepWork scheduleRunning() {
        StepWork work = StepWork.NONE;
        int budget = spec.tokenBudget();
        for (int i = 0; i < running.size() && budget > 0; i++) {
            Sequence sequence = running.get(i);
            int tokens = Math.min(sequence.remainingTokens(), budget);
            if (!makeRoom(sequence, tokens)) {
                break;
            }
            work = add(work, sequence, tokens);
            budget -= tokens;
        }
        return work;
    }

    private StepWork scheduleWaiting(StepWork begun) {
        StepWork work = begun;
        int budget = spec.tokenBudget() - Math.toIntExact(begun.prefillTokens() + begun.decodeSequences());
        Iterator<Sequence> queue = waiting.iterator();
        while (budget > 0 && running.size() < spec.maxSequences() && queue.hasNext()) {
            Sequence sequence = queue.next();
            int shared = sharedBlocks(sequence);
            int inCache = shared * spec.blockTokens();
            int tokens = Math.min(sequence.knownTokens() - inCache, budget);
            int wanted = spec.blocksFor(inCache + tokens) - shared;
            if (wanted + pool.unusedAmong(sequence.prompt(), shared) > pool.available()) {
                break;
            }
            queue.remove();
            for (int block = 0; block < shared; block++) {
                sequence.blocks.add(pool.share(sequence.prompt().blockHash(block)));
            }
            for (int block = 0; block < wanted; block++) {
                sequence.blocks.add(pool.take());
            }
            begin(sequence, inCache);
            work = add(work, sequence, tokens);
            budget -= tokens;
        }
        return work;
    }

    private void begin(Sequence sequence, int inCache) {
        if (sequence.preemptions() == 0) {
            promptTokens += sequence.prompt().tokens();
            cachedTokens += inCache;
        } else {
            recomputedTokens += sequence.knownTokens();
        }
        sequence.schedule(timeline.nowNanos(), inCache);
        running.add(sequence);
    }

    private static StepWork add(StepWork work, Sequence sequence, int tokens) {
        StepWork more = sequence.isDecoding()
                ? work.withDecode(sequence.knownTokens())
                : work.withPrefill(sequence.computedTokens(), tokens);
        sequence.stepTokens = tokens;
        return more;
    }

    /** At least one token is left to compute, as engines need its result. */
    private int sharedBlocks(Sequence sequence) {
        if (!spec.prefixCaching() || isCold) {
            return 0;
        }
        int most = (sequence.knownTokens() - 1) / spec.blockTokens();
        return Math.min(most, pool.known(sequence.prompt()));
    }

    /** Takes blocks from those that began last until there are enough; false when the sequence itself had to give up its own. */
    private boolean makeRoom(Sequence sequence, int tokens) {
        int wanted = spec.blocksFor(sequence.computedTokens() + tokens) - sequence.blocks.size();
        while (wanted > pool.available()) {
            Sequence last = running.remove(running.size() - 1);
            release(last);
            last.preempt();
            preemptions++;
            waiting.addFirst(last);
            if (last == sequence) {
                return false;
            }
        }
        for (int block = 0; block < wanted; block++) {
            sequence.blocks.add(pool.take());
        }
        return true;
    }

    /** Those of the prompt that became full since so many tokens were computed. */
    private void rememberBlocksFilled(Sequence sequence, int computedBefore) {
        if (!spec.prefixCaching() || isCold) {
            return;
        }
        int full = Math.min(sequence.prompt().fullBlocks(), sequence.computedTokens() / spec.blockTokens());
        for (int block = computedBefore / spec.blockTokens(); block < full; block++) {
            pool.remember(sequence.blocks.get(block), sequence.prompt().blockHash(block));
        }
    }

    /** Its last block first: what stands at the beginning is the likeliest to be asked for again, and is given away last. */
    private void release(Sequence sequence) {
        for (int i = sequence.blocks.size() - 1; i >= 0; i--) {
            pool.release(sequence.blocks.get(i));
        }
        sequence.blocks.clear();
    }
}
