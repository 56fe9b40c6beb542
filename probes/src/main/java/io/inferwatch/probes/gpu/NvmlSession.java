package io.inferwatch.probes.gpu;

import io.inferwatch.probes.gpu.nvml.Nvml;
import io.inferwatch.probes.gpu.nvml.NvmlException;
import io.inferwatch.probes.gpu.nvml.NvmlStatus;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** NVML as long as it answers, and, when it ceased to, again after pauses that grow. That it is away is said once. For one thread, but for {@link #obstacle()}. */
final class NvmlSession implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NvmlSession.class);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(10);

    private final String library;
    private final GpuCounters counters;
    private final Backoff backoff;
    private @Nullable Nvml nvml;
    private volatile Optional<String> obstacle = Optional.empty();

    NvmlSession(String library, LongSupplier nanoTime, GpuCounters counters) {
        this.library = library;
        this.counters = counters;
        this.backoff = new Backoff(nanoTime, FIRST_PAUSE);
    }

    /**
     * Opens it. Where it is there and does not work at present, {@link #nvml()} will try again.
     *
     * @throws NvmlException when there is none
     */
    void start() throws NvmlException {
        try {
            open();
        } catch (NvmlException e) {
            if (e.isAbsent()) {
                throw e;
            }
            away(e);
        }
    }

    /** NVML, opened anew where that is due; null while it is away. Another object is another session: all handles are new. */
    @Nullable
    Nvml nvml() {
        if (nvml == null && backoff.isDue()) {
            try {
                open();
            } catch (NvmlException e) {
                away(e);
            }
        }
        return nvml;
    }

    /** Why it is away; empty while it is not. */
    Optional<String> obstacle() {
        return obstacle;
    }

    /** A device was read: it works. */
    void answered() {
        if (obstacle.isPresent()) {
            LOG.info("NVML answers again");
            obstacle = Optional.empty();
        }
        backoff.succeeded();
    }

    /** It answers nothing but this. */
    void failed(NvmlStatus status) {
        close();
        away(
                status == NvmlStatus.LIB_RM_VERSION_MISMATCH
                        ? "NVML: driver/library mismatch, restart needed"
                        : "NVML does not answer any more: " + status.describe());
    }

    @Override
    public void close() {
        if (nvml != null) {
            nvml.close();
            nvml = null;
        }
    }

    private void open() throws NvmlException {
        counters.opened();
        nvml = Nvml.open(library);
    }

    private void away(NvmlException e) {
        away(e.getMessage() == null ? e.status().describe() : e.getMessage());
    }

    private void away(String reason) {
        if (obstacle.isEmpty()) {
            LOG.warn("{}; trying again", reason);
        }
        obstacle = Optional.of(reason);
        backoff.failed();
    }
}
