package io.inferwatch.probes.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.schemas.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EventStreamTest {
    @Test
    void numbersHaveNoGaps() {
        EventStream stream = new EventStream(Topic.REQUESTS, "probe-1", "r", 5);
        assertThat(stream.id()).isEqualTo("probe-1/r");
        assertThat(List.of(stream.take(), stream.take(), stream.take())).containsExactly(5L, 6L, 7L);
        assertThat(stream.next()).isEqualTo(8);
    }

    @Test
    void settledBelowIsTheFirstNumberThatIsStillOpenWhateverTheOrder() {
        SplittableRandom random = new SplittableRandom(3);
        EventStream stream = new EventStream(Topic.REQUESTS, "p", "r", 0);
        List<Long> open = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            open.add(stream.take());
        }
        while (!open.isEmpty()) {
            assertThat(stream.settledBelow()).isEqualTo(open.get(0));
            stream.settle(open.remove(random.nextInt(Math.min(20, open.size()))));
        }
        assertThat(stream.settledBelow()).isEqualTo(300);
    }
}
