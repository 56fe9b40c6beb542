package io.inferwatch.jobs.window;

import io.inferwatch.jobs.ingest.EventLayout;
import io.inferwatch.jobs.ingest.RequestRow;
import java.util.Optional;

/** Whether an event has a field, a number or a text; every event has the one that is not asked for. */
record Presence(int numberSlot, int textSlot) {

    static Presence of(Optional<String> field, EventLayout events) {
        return field.map(name -> new Presence(events.number(name), events.text(name)))
                .orElse(new Presence(-1, -1));
    }

    boolean isMissing(RequestRow row) {
        return numberSlot >= 0 ? row.number(numberSlot) == RequestRow.ABSENT : textSlot >= 0 && row.text(textSlot) < 0;
    }
}
