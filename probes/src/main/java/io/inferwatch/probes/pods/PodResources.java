package io.inferwatch.probes.pods;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks this node's kubelet again and again which pod holds which device. While it does not answer, what it said last goes on for a minute; then nobody holds
 * anything, since pods come and go. Asks on a thread of its own; any thread may look.
 */
public final class PodResources implements AutoCloseable {
    /** Between two questions. */
    public static final Duration EVERY = Duration.ofSeconds(10);

    private static final Logger LOG = LoggerFactory.getLogger(PodResources.class);
    private static final Path KUBELET = Path.of("/var/lib/kubelet/pod-resources/kubelet.sock");
    private static final Duration FORGOTTEN = Duration.ofMinutes(1);

    private final PodResourcesCall call;
    private final Path socket;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "inferwatch-pods");
        thread.setDaemon(true);
        return thread;
    });
    private final AtomicLong failures = new AtomicLong();
    private volatile Map<String, Pod> holders = Map.of();
    private long answeredNanos = System.nanoTime();
    private boolean isFailing;

    private PodResources(Path socket) {
        this.socket = socket;
        call = new PodResourcesCall(socket);
    }

    /** The kubelet's socket, where there is one. */
    public static Optional<Path> kubelet() {
        return Optional.of(KUBELET).filter(Files::exists);
    }

    /** Asks from now on. */
    public static PodResources watch(Path socket, Duration every) {
        PodResources pods = new PodResources(socket);
        var unused = pods.timer.scheduleWithFixedDelay(pods::ask, 0, every.toNanos(), TimeUnit.NANOSECONDS);
        return pods;
    }

    /** Who holds the GPU or MIG instance of this UUID; null when nobody does, several share it, or that is not known. */
    public @Nullable Pod holder(String uuid) {
        return holders.get(uuid);
    }

    /** Questions without an answer. */
    public long failures() {
        return failures.get();
    }

    @Override
    public void close() {
        timer.shutdownNow();
        call.close();
    }

    private void ask() {
        try {
            holders = PodDevices.of(call.list());
            answeredNanos = System.nanoTime();
            if (isFailing) {
                LOG.info("the kubelet at {} answers again", socket);
                isFailing = false;
            }
        } catch (PodResourcesException | IOException | RuntimeException e) {
            failures.incrementAndGet();
            if (System.nanoTime() - answeredNanos > FORGOTTEN.toNanos()) {
                holders = Map.of();
            }
            if (!isFailing) {
                LOG.warn("the kubelet at {} does not say who holds which device: {}", socket, e.getMessage());
                isFailing = true;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
