package io.inferwatch.simulation.http;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.inferwatch.simulation.memory.DeviceState;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the allocator's statistics every ten seconds, under the keys of {@code torch.cuda.memory_stats()}, with the free blocks of its snapshot, as a serving
 * process does of itself. A report that is not taken is dropped and counted. From a thread of its own.
 */
final class MemoryReporter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryReporter.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration INTERVAL = Duration.ofSeconds(10);
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final URI endpoint;
    private final Supplier<CompletableFuture<DeviceState>> device;
    private final AtomicLong dropped = new AtomicLong();
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread reporter = new Thread(task, "inferwatch-simulation-memory");
        reporter.setDaemon(true);
        return reporter;
    });

    /**
     * Reports from now on.
     *
     * @param endpoint the path of a probe that takes such reports; the device's id is added
     * @param device tells its memory now
     */
    MemoryReporter(URI endpoint, Supplier<CompletableFuture<DeviceState>> device) {
        this.endpoint = endpoint;
        this.device = device;
        var unused = thread.scheduleAtFixedRate(this::report, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    long dropped() {
        return dropped.get();
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }

    private void report() {
        try {
            DeviceState state = device.get().get();
            HttpRequest request = HttpRequest.newBuilder(URI.create(endpoint + "?gpu=" + state.uuid()))
                    .timeout(TIMEOUT)
                    .header("content-type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(statistics(state)))
                    .build();
            int status =
                    client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
            if (status != 200) {
                dropped.incrementAndGet();
                LOG.warn("memory: {} answered {}", endpoint, status);
            }
        } catch (IOException e) {
            dropped.incrementAndGet();
            LOG.warn("memory: {} cannot be reached: {}", endpoint, e.toString());
        } catch (ExecutionException e) {
            throw new IllegalStateException("the simulation tells its memory at any time", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static String statistics(DeviceState state) {
        ObjectNode stats = JSON.createObjectNode();
        stats.put("allocated_bytes.all.current", state.allocatedBytes());
        stats.put("allocated_bytes.all.peak", state.peakBytes());
        stats.put("reserved_bytes.all.current", state.reservedBytes());
        stats.put("inactive_split_bytes.all.current", state.inactiveSplitBytes());
        stats.put("segment.all.current", state.segments());
        stats.put("num_alloc_retries", state.retries());
        stats.put("num_ooms", state.failures());
        state.freeBlocks().forEach(stats.withArray("free_blocks")::add);
        if (state.largestRequestBytes() > 0) {
            stats.put("largest_request_bytes", state.largestRequestBytes());
        }
        return stats.toString();
    }
}
