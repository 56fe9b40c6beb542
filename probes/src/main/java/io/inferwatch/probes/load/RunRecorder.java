package io.inferwatch.probes.load;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.schemas.RequestEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Keeps every request of a run that ended, about 400 bytes each, and counts those of the last seconds for whoever looks on. Warm-up is seen and not kept. Thread safe; a request is taken within microseconds.
 */
final class RunRecorder implements RunListener {
    /** Phase whose requests do not count. */
    static final int WARM_UP = 0;

    private static final int RECENT_SECONDS = 10;

    private final Consumer<RequestEvent> events;
    private final List<FinishedRequest> measured = new ArrayList<>();
    private final Deque<Second> recent = new ArrayDeque<>();
    private Second current = new Second();
    private long failed;
    private long warmUps;

    private static final class Second {
        private final QuantileSketch ttftMicros = new QuantileSketch();
        private final QuantileSketch lagMicros = new QuantileSketch();
        private double[] ttftSeconds = new double[16];
        private int firstTokens;
        private long ended;
        private long failed;

        private void add(FinishedRequest request) {
            ended++;
            failed += request.isGood() ? 0 : 1;
            lagMicros.add(Math.max(0, request.lagMicros()));
            Long ttft = request.ttftMicros();
            if (ttft != null) {
                ttftMicros.add(Math.max(0, ttft));
                if (firstTokens == ttftSeconds.length) {
                    ttftSeconds = Arrays.copyOf(ttftSeconds, 2 * firstTokens);
                }
                ttftSeconds[firstTokens++] = ttft / 1e6;
            }
        }
    }

    /**
     * The last seconds.
     *
     * @param ended requests that ended in the last one
     * @param failed of them
     * @param ttftSeconds of those that ended in the last one, from the schedule
     * @param ttftMicros of the last ten seconds
     * @param lagMicros of the last ten seconds
     */
    record Recent(long ended, long failed, double[] ttftSeconds, QuantileSketch ttftMicros, QuantileSketch lagMicros) {}

    /** A recorder that hands on the events of requests that count; the consumer must not wait. */
    RunRecorder(Consumer<RequestEvent> events) {
        this.events = events;
    }

    @Override
    public void ended(FinishedRequest request) {
        synchronized (this) {
            current.add(request);
            if (request.phase() == WARM_UP) {
                warmUps++;
                return;
            }
            failed += request.isGood() ? 0 : 1;
            measured.add(request);
        }
        events.accept(request.event());
    }

    /** What happened since the last call, which is to be made every second. */
    synchronized Recent nextSecond() {
        recent.addLast(current);
        if (recent.size() > RECENT_SECONDS) {
            recent.removeFirst();
        }
        QuantileSketch ttft = new QuantileSketch();
        QuantileSketch lag = new QuantileSketch();
        recent.forEach(second -> {
            ttft.merge(second.ttftMicros);
            lag.merge(second.lagMicros);
        });
        Second last = current;
        current = new Second();
        return new Recent(last.ended, last.failed, Arrays.copyOf(last.ttftSeconds, last.firstTokens), ttft, lag);
    }

    /** Failed requests so far, warm-up not counted. */
    synchronized long failed() {
        return failed;
    }

    /** Requests of the warm-up that ended. */
    synchronized long warmUps() {
        return warmUps;
    }

    /** All requests so far, warm-up not counted, in the order in which they ended. */
    synchronized List<FinishedRequest> measured() {
        return List.copyOf(measured);
    }

    /** Seconds from the first sending to the last answer of some requests; 0 for none. */
    static double spanSeconds(List<FinishedRequest> requests) {
        long first =
                requests.stream().mapToLong(FinishedRequest::sentAtMicros).min().orElse(0);
        long last = requests.stream()
                .mapToLong(request -> request.event().getCompletedAtMicros())
                .max()
                .orElse(0);
        return (last - first) / (double) TimeUnit.SECONDS.toMicros(1);
    }
}
