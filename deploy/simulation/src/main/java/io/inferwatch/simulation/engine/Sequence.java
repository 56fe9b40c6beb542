package io.inferwatch.simulation.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** A prompt and its answer on their way through an engine. Times are those of the engine's timeline. */
public final class Sequence {
    private static final long NEVER = -1;

    private final Prompt prompt;
    private final int wantedTokens;
    private final SequenceListener listener;
    private final long queuedNanos;
    final List<Integer> blocks = new ArrayList<>();
    private long scheduledNanos = NEVER;
    private int cachedTokens;
    private int computedTokens;
    private int outputTokens;
    private int preemptions;
    private boolean isOver;

    /** Tokens that the present step computes. */
    int stepTokens;

    Sequence(Prompt prompt, int wantedTokens, SequenceListener listener, long queuedNanos) {
        this.prompt = prompt;
        this.wantedTokens = wantedTokens;
        this.listener = listener;
        this.queuedNanos = queuedNanos;
    }

    /** What was asked. */
    public Prompt prompt() {
        return prompt;
    }

    /** Tokens that came out so far. */
    public int outputTokens() {
        return outputTokens;
    }

    /** Whether any token has come out. */
    public boolean hasFirstToken() {
        return outputTokens > 0;
    }

    /** When it came into the queue. */
    public long queuedNanos() {
        return queuedNanos;
    }

    /** When its first step began; later steps after a preemption do not change it. */
    public OptionalLong scheduledNanos() {
        return scheduledNanos == NEVER ? OptionalLong.empty() : OptionalLong.of(scheduledNanos);
    }

    /** Prompt tokens that the prefix cache had when its first step began. */
    public int cachedTokens() {
        return cachedTokens;
    }

    /** How often its blocks were taken away, so that all had to be computed again. */
    public int preemptions() {
        return preemptions;
    }

    /** Whether it has ended or was cancelled. */
    public boolean isOver() {
        return isOver;
    }

    /** Prompt and answer so far: what has to be computed before the next token can come out. */
    int knownTokens() {
        return prompt.tokens() + outputTokens;
    }

    int computedTokens() {
        return computedTokens;
    }

    int remainingTokens() {
        return knownTokens() - computedTokens;
    }

    /** Whether the next token needs one more place only, and no part of a prompt. */
    boolean isDecoding() {
        return outputTokens > 0 && remainingTokens() == 1;
    }

    void schedule(long nowNanos, int tokensInCache) {
        computedTokens = tokensInCache;
        if (scheduledNanos == NEVER) {
            scheduledNanos = nowNanos;
            cachedTokens = tokensInCache;
        }
    }

    void preempt() {
        preemptions++;
        computedTokens = 0;
        stepTokens = 0;
    }

    /** The step is over. */
    void computed() {
        computedTokens += stepTokens;
        stepTokens = 0;
    }

    boolean isTokenDue() {
        return computedTokens == knownTokens();
    }

    void emit() {
        outputTokens++;
        boolean isLast = outputTokens == wantedTokens;
        isOver = isLast;
        listener.onToken(this);
        if (isLast) {
            listener.onEnd(this);
        }
    }

    void abandon() {
        isOver = true;
        stepTokens = 0;
    }
}
