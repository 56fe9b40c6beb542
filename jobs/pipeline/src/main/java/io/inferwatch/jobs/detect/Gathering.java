package io.inferwatch.jobs.detect;

import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.WindowStat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.TimerService;

/**
 * The members of a key's group by the end of their window, until event time has passed it, and a while more where they come from sources that wait for
 * each other: the timer that is set then takes them, and with them their state. Those that come after it are counted and left out, since the rest of their group was judged without them.
 */
final class Gathering {
    /**
     * Windows of the same length and end.
     *
     * @param byArm never empty
     */
    record Group(String task, Map<String, WindowStat> byArm) {
        /** One of them, for what they have in common. */
        WindowStat any() {
            return byArm.values().iterator().next();
        }
    }

    private final EventCodec codec = new EventCodec();
    private final MapState<Long, List<Member>> members;
    private final Counter outOfOrder;
    private final long waitMillis;

    Gathering(RuntimeContext runtime) {
        this(runtime, Duration.ZERO);
    }

    /**
     * Waits longer.
     *
     * @param wait how far event time must be past the end of a window
     */
    Gathering(RuntimeContext runtime, Duration wait) {
        waitMillis = wait.toMillis();
        members = runtime.getMapState(
                new MapStateDescriptor<>("gathered", Types.LONG, Types.LIST(TypeInformation.of(Member.class))));
        outOfOrder = runtime.getMetricGroup().counter("windows_out_of_order_total");
    }

    void add(Member member, TimerService timers) throws Exception {
        long timerMillis = member.endMicros() / 1_000 + waitMillis;
        if (timerMillis <= timers.currentWatermark()) {
            outOfOrder.inc();
            return;
        }
        List<Member> before = members.get(timerMillis);
        if (before == null) {
            timers.registerEventTimeTimer(timerMillis);
        }
        List<Member> all = before == null ? new ArrayList<>() : new ArrayList<>(before);
        all.add(member);
        members.put(timerMillis, all);
    }

    /** Takes what the timer was set for: the windows of each length, the shortest first. */
    List<Group> take(long timerMillis) throws Exception {
        List<Member> ended = members.get(timerMillis);
        if (ended == null) {
            return List.of();
        }
        members.remove(timerMillis);
        Map<Long, Group> byLength = new TreeMap<>();
        for (Member member : ended) {
            byLength.computeIfAbsent(member.windowMicros(), length -> new Group(member.task(), new TreeMap<>()))
                    .byArm
                    .put(member.arm(), decode(member));
        }
        return List.copyOf(byLength.values());
    }

    /** Whether none waits. */
    boolean isEmpty() throws Exception {
        return members.isEmpty();
    }

    private WindowStat decode(Member member) throws UndecodableEventException {
        return codec.decode(member.content(), WindowStat.class);
    }
}
