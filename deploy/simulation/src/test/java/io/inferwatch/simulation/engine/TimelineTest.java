package io.inferwatch.simulation.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimelineTest {
    private final Timeline timeline = new Timeline();
    private final List<String> done = new ArrayList<>();

    @Test
    void actionsRunInOrderOfTimeAndThenOfAsking() {
        timeline.at(20, () -> done.add("c@" + timeline.nowNanos()));
        timeline.at(10, () -> {
            done.add("a@" + timeline.nowNanos());
            timeline.after(0, () -> done.add("d@" + timeline.nowNanos()));
        });
        timeline.at(10, () -> done.add("b@" + timeline.nowNanos()));

        timeline.runUntil(30);

        assertThat(done).containsExactly("a@10", "b@10", "d@10", "c@20");
        assertThat(timeline.nowNanos()).isEqualTo(30);
        assertThat(timeline.nextNanos()).isEmpty();
    }

    @Test
    void whatIsDueLaterWaitsAndWhatIsPastIsDueNow() {
        timeline.runUntil(100);
        timeline.at(50, () -> done.add("late@" + timeline.nowNanos()));
        timeline.at(200, () -> done.add("never"));

        timeline.runUntil(150);

        assertThat(done).containsExactly("late@100");
        assertThat(timeline.nextNanos()).hasValue(200);
    }
}
