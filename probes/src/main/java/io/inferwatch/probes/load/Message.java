package io.inferwatch.probes.load;

import java.util.List;

/** A message of a prompt, one after the other. */
record Message(Role role, List<Words> words) {
    /** Who speaks. */
    enum Role {
        USER,
        ASSISTANT
    }

    Message {
        words = List.copyOf(words);
    }

    static Message of(Role role, Words words) {
        return new Message(role, List.of(words));
    }

    int tokens() {
        return words.stream().mapToInt(Words::count).sum();
    }
}
