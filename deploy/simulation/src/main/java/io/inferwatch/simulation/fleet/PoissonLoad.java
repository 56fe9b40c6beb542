package io.inferwatch.simulation.fleet;

import io.inferwatch.simulation.engine.Prompt;
import io.inferwatch.simulation.serving.Lognormal;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;

/**
 * Requests without end, the same for the same seed, at exponential intervals. Half of them go on with a conversation, whose prompt is all
 * that was said before and a new question; a tenth are about a long document. Each has one of three templates, whose text stands before it
 * and is shared by all of its kind, and one of twelve tenants, the first the busiest.
 */
public final class PoissonLoad implements Iterator<Arrival> {
    private static final int TENANTS = 12;
    private static final int MOST_TURNS = 7;
    private static final int OPEN_SESSIONS = 64;
    private static final int MAX_TOKENS = 1_000;
    private static final Lognormal QUESTION = new Lognormal(180, 0.8);
    private static final Lognormal DOCUMENT = new Lognormal(4_000, 0.5);

    /** A template and how many tokens it puts before every prompt. */
    private enum Template {
        ZERO_SHOT("zero-shot", 32),
        CHAIN_OF_THOUGHT("chain-of-thought", 160),
        REACT("react", 640);

        private final String text;
        private final int tokens;

        Template(String text, int tokens) {
            this.text = text;
            this.tokens = tokens;
        }

        Prompt.Part part() {
            return new Prompt.Part(-1L - ordinal() * 1_000_000L, tokens);
        }
    }

    /** A conversation that may go on. */
    private record Session(long number, int tenant, Template template, int turn, List<Prompt.Part> said) {}

    private final double perSecond;
    private final Lognormal answer;
    private final SplittableRandom random;
    private final List<Session> open = new ArrayList<>();
    private long nowNanos;
    private long number;

    /**
     * A load.
     *
     * @param perSecond requests on average
     * @param answer tokens of an answer
     */
    public PoissonLoad(double perSecond, Lognormal answer, long seed) {
        this.perSecond = perSecond;
        this.answer = answer;
        this.random = new SplittableRandom(seed);
    }

    /** The usual answers: 130 tokens in the median. */
    public static PoissonLoad of(double perSecond, long seed) {
        return new PoissonLoad(perSecond, new Lognormal(130, 0.7), seed);
    }

    @Override
    public boolean hasNext() {
        return true;
    }

    @Override
    public Arrival next() {
        nowNanos += Math.round(-Math.log(1 - random.nextDouble()) / perSecond * 1e9);
        boolean isDocument = random.nextInt(10) == 0;
        boolean goesOn = random.nextBoolean() && !isDocument && !open.isEmpty();
        Session session = goesOn ? open.remove(random.nextInt(open.size())) : begin();
        List<Prompt.Part> prompt = new ArrayList<>(session.said);
        prompt.add(new Prompt.Part(content(), tokens(isDocument ? DOCUMENT : QUESTION)));
        int answerTokens = tokens(answer);
        if (!isDocument && session.turn < MOST_TURNS) {
            keep(session, prompt, Math.min(answerTokens, MAX_TOKENS));
        }
        return new Arrival(
                nowNanos,
                Arrival.hash("tenant", session.tenant),
                Arrival.hash("session", session.number),
                OptionalInt.of(session.turn),
                Optional.of(session.template.text),
                Optional.of(isDocument ? "long-document" : session.turn > 1 ? "multi-turn" : "short"),
                prompt,
                answerTokens,
                MAX_TOKENS);
    }

    private Session begin() {
        Template template = Template.values()[random.nextInt(Template.values().length)];
        // The smaller of two: the first tenant is the busiest, the last the least busy.
        int tenant = Math.min(random.nextInt(TENANTS), random.nextInt(TENANTS));
        return new Session(number++, tenant, template, 1, List.of(template.part()));
    }

    private void keep(Session session, List<Prompt.Part> prompt, int answerTokens) {
        List<Prompt.Part> said = new ArrayList<>(prompt);
        said.add(new Prompt.Part(content(), answerTokens));
        open.add(new Session(session.number, session.tenant, session.template, session.turn + 1, said));
        if (open.size() > OPEN_SESSIONS) {
            open.remove(0);
        }
    }

    private long content() {
        return random.nextLong();
    }

    private int tokens(Lognormal length) {
        return Math.max(1, (int) Math.round(length.next(random)));
    }
}
