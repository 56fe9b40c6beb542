package io.inferwatch.simulation.http;

import io.inferwatch.simulation.serving.Beginning;
import io.inferwatch.simulation.serving.Ending;
import io.inferwatch.simulation.serving.Journey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * A request that is being answered: puts the choices' tokens and ends together, stamps what is handed to the connection, and reports the
 * whole when it is over. On the connection's thread alone.
 */
final class Generation {
    private final String id;
    private final GenerationRequest request;
    private final RequestHeaders headers;
    private final Answer answer;
    private final Words words;
    private final Runnable cancel;
    private final Consumer<ServedRequest> whenOver;
    private final List<Journey> ended = new ArrayList<>();
    private final List<Long> sentNanos = new ArrayList<>();
    private final List<StringBuilder> texts;
    private final List<String> reasons;
    private final int wantedTokens;
    private boolean hasBegun;
    private boolean isOver;

    /**
     * A request of which nothing is answered yet.
     *
     * @param wantedTokens of each choice, as far as they come
     * @param cancel takes what is not yet answered back from the server
     */
    Generation(
            String id,
            GenerationRequest request,
            RequestHeaders headers,
            Answer answer,
            Words words,
            int wantedTokens,
            Runnable cancel,
            Consumer<ServedRequest> whenOver) {
        this.id = id;
        this.request = request;
        this.headers = headers;
        this.answer = answer;
        this.words = words;
        this.wantedTokens = wantedTokens;
        this.cancel = cancel;
        this.whenOver = whenOver;
        this.texts = new ArrayList<>();
        for (int choice = 0; choice < request.choices(); choice++) {
            texts.add(new StringBuilder());
        }
        this.reasons = new ArrayList<>(Collections.nCopies(request.choices(), ""));
    }

    boolean isOver() {
        return isOver;
    }

    void begin(Beginning beginning) {
        if (!isOver && !hasBegun) {
            hasBegun = true;
            answer.begin(beginning);
        }
    }

    void token(int choice, int token) {
        if (isOver) {
            return;
        }
        String text = request.tool().isPresent() ? words.argument(token, wantedTokens) : words.word(token);
        texts.get(choice).append(text);
        sentNanos.add(answer.token(choice, token, text) - headers.atNanos());
    }

    void end(int choice, Journey journey) {
        ended.add(journey);
        if (isOver) {
            return;
        }
        switch (journey.ending()) {
            case STOP, LENGTH -> finish(choice, journey);
            case ERROR, INBAND_ERROR -> fail(500, "InternalServerError", "simulated failure of the engine");
            case REJECTED ->
                fail(400, "BadRequestError", "prompt and answer: must fit the model's context, found more tokens");
            case CANCELLED -> {
                if (ended.size() == request.choices()) {
                    over();
                }
            }
        }
    }

    /** The client went away. */
    void abandon() {
        if (!isOver) {
            cancel.run();
        }
    }

    private void finish(int choice, Journey journey) {
        String reason = request.tool().isPresent() ? "tool_calls" : journey.ending() == Ending.STOP ? "stop" : "length";
        reasons.set(choice, reason);
        answer.finish(choice, reason);
        if (ended.size() == request.choices()) {
            int tokens = ended.stream().mapToInt(j -> j.tokenNanos().size()).sum();
            answer.end(
                    texts.stream().map(StringBuilder::toString).toList(),
                    reasons,
                    new Usage(
                            journey.promptTokens(), OptionalInt.of(ended.get(0).cachedTokens()), tokens));
            over();
        }
    }

    private void fail(int status, String type, String message) {
        answer.fail(status, type, message);
        over();
        cancel.run();
    }

    private void over() {
        isOver = true;
        whenOver.accept(new ServedRequest(
                id,
                request,
                headers,
                List.copyOf(ended),
                List.copyOf(sentNanos),
                System.nanoTime() - headers.atNanos()));
    }
}
