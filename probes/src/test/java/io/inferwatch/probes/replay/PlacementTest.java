package io.inferwatch.probes.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.schemas.RequestEvent;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PlacementTest {
    /** Values computed once, apart from this code, from the rule's wording: they must hold for ever, or replays change their identity. */
    @Test
    void theRuleNeverChanges() {
        assertThat(Placement.digits("session", "trace_0001/main")).isEqualTo("1da57bee46b12e62");
        assertThat(Placement.digits("replica", "row:1")).isEqualTo("52bcc6771e9f1495");
        assertThat(Placement.digits("tenant-id", "11")).isEqualTo("0541cb6186972ba2");
        assertThat(Placement.digits("start", "größe")).isEqualTo("1652039837630369");
    }

    @Test
    void theFleetIsMadeOfEightReplicas() {
        for (int i = 0; i < 1_000; i++) {
            RequestEvent event = new RequestEvent();
            assertThat(Placement.complete(event, "session-" + i)).isTrue();
            int replica = Integer.parseInt(event.getReplica().substring("replica-".length()));
            assertThat(replica).isBetween(0, 7);
            assertThat(event.getNode()).isEqualTo("node-" + replica / 2);
            assertThat(event.getRegion()).isEqualTo("region-" + replica / 4);
            assertThat(event.getPool()).isEqualTo("pool-" + (replica / 2) % 2);
            assertThat(event.getVersion()).isEqualTo(replica % 2 == 0 ? "v1" : "v2");
            assertThat(event.getTenant()).matches("[0-9a-f]{16}");
        }
    }

    @Test
    void keysSpreadEvenly() {
        int[] perReplica = new int[8];
        IntStream.range(0, 80_000).forEach(i -> perReplica[Placement.slot("replica", "row:" + i, 8)]++);
        // Eight times the standard deviation of about 94.
        assertThat(IntStream.of(perReplica).boxed())
                .allSatisfy(n -> assertThat(n).isBetween(10_000 - 750, 10_000 + 750));
    }

    @Test
    void whatIsThereStays() {
        RequestEvent event = new RequestEvent();
        event.setReplica("gpu-a");
        event.setNode("host-1");
        event.setRegion("eu");
        event.setPool("h100");
        event.setVersion("0.11");
        event.setTenant("0123456789abcdef");
        assertThat(Placement.complete(event, "x")).isFalse();
        assertThat(event.getNode()).isEqualTo("host-1");
    }

    @Test
    void aReplicaAloneDecidesWhereItIs() {
        RequestEvent one = new RequestEvent();
        one.setReplica("gpu-a");
        RequestEvent other = new RequestEvent();
        other.setReplica("gpu-a");
        Placement.complete(one, "x");
        Placement.complete(other, "y");
        assertThat(one.getNode()).isEqualTo(other.getNode());
        assertThat(one.getVersion()).isEqualTo(other.getVersion());
    }
}
