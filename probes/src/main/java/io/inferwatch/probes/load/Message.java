package io.inferwatch.probes.load;

import java.util.List;

/** A message of a prompt, one after the other. */
record Message(Role role, List<Piece> pieces) {
    /** Who speaks. */
    enum Role {
        USER,
        ASSISTANT
    }

    Message {
        pieces = List.copyOf(pieces);
    }

    static Message of(Role role, Piece piece) {
        return new Message(role, List.of(piece));
    }

    int tokens() {
        return pieces.stream().mapToInt(Piece::tokens).sum();
    }

    int characters() {
        return pieces.stream().mapToInt(Piece::characters).sum();
    }
}
