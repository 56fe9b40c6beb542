package io.inferwatch.probes.load;

import io.inferwatch.probes.load.PlannedRequest.FollowUp;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Makes requests of drawn lengths. What a request is depends on the seed and its number alone. No two prompts that are made share a beginning, but for the turns of one conversation, each of which
 * repeats the former ones and their answers.
 *
 * @param prompts messages of users
 * @param turns of a conversation; 1 for single requests
 * @param meanThinkSeconds between an answer's end and the next turn, exponentially distributed; 0 for none
 */
record RequestMaker(Prompts prompts, Lengths answers, int turns, double meanThinkSeconds, long seed) {
    private static final double NANOS_PER_SECOND = 1e9;
    /** Of the golden ratio, as SplitMix steps; so that neighbouring numbers have unrelated seeds. */
    private static final long STEP = 0x9E3779B97F4A7C15L;

    private record Turn(Piece question, Words answer, long thinkNanos) {}

    /**
     * A conversation, or a single request.
     *
     * @param conversation from 0
     * @param afterNanos of its first turn; null for as soon as may be
     */
    PlannedRequest make(long conversation, @Nullable Long afterNanos, int step) {
        long first = conversation * turns;
        List<Turn> all = new ArrayList<>(turns);
        for (int i = 0; i < turns; i++) {
            all.add(turn(first + i));
        }
        PlannedRequest next = null;
        for (int i = turns - 1; i >= 0; i--) {
            FollowUp followUp = next == null ? null : new FollowUp(all.get(i).thinkNanos(), next);
            boolean isConversation = turns > 1;
            next = new PlannedRequest(
                    first + i,
                    i == 0 ? afterNanos : null,
                    messages(all.subList(0, i + 1)),
                    all.get(i).answer().count(),
                    isConversation ? Long.toString(conversation) : null,
                    isConversation ? (Integer) (i + 1) : null,
                    step,
                    followUp);
        }
        if (next == null) {
            throw new IllegalStateException("turns: must be at least 1, found " + turns);
        }
        return next;
    }

    private Turn turn(long number) {
        SplittableRandom random = new SplittableRandom(seed + number * STEP);
        Piece question = prompts.prompt(number, random);
        Words answer = new Words(random.nextLong(), answers.length(number, random));
        double thinkSeconds = -meanThinkSeconds * Math.log(1 - random.nextDouble());
        return new Turn(question, answer, (long) (thinkSeconds * NANOS_PER_SECOND));
    }

    private static List<Message> messages(List<Turn> turns) {
        List<Message> messages = new ArrayList<>(2 * turns.size());
        for (int i = 0; i < turns.size(); i++) {
            if (i > 0) {
                messages.add(Message.of(Message.Role.ASSISTANT, turns.get(i - 1).answer()));
            }
            messages.add(Message.of(Message.Role.USER, turns.get(i).question()));
        }
        return messages;
    }
}
