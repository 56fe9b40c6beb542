package io.inferwatch.simulation.http;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.inferwatch.simulation.serving.Guardrail;
import io.inferwatch.simulation.serving.Journey;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One line of JSON for each request that ended, in the order of their ends, written by a thread of its own. A line that
 * cannot be written is lost with a warning and counted; the server goes on.
 */
final class TimingLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TimingLog.class);

    private final ObjectMapper json = new ObjectMapper();
    private final BufferedWriter file;
    private final AtomicLong lost = new AtomicLong();
    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        Thread writer = new Thread(task, "inferwatch-timing-log");
        writer.setDaemon(true);
        return writer;
    });

    /** A new file in the place of a former one. */
    TimingLog(Path path) throws IOException {
        file = Files.newBufferedWriter(path);
    }

    void add(ServedRequest served) {
        thread.execute(() -> {
            try {
                file.write(json.writeValueAsString(line(served)));
                file.newLine();
                file.flush();
            } catch (IOException e) {
                lost.incrementAndGet();
                LOG.warn("timing log: a line is lost: {}", e.toString());
            }
        });
    }

    long lost() {
        return lost.get();
    }

    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(5, TimeUnit.SECONDS)) {
                LOG.warn("timing log: not all lines are written");
            }
            file.close();
        } catch (IOException e) {
            LOG.warn("timing log: cannot be closed: {}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private ObjectNode line(ServedRequest served) {
        ObjectNode line = json.createObjectNode();
        line.put("id", served.id());
        served.headers().requestId().ifPresent(id -> line.put("requestId", id));
        served.headers().traceparent().ifPresent(parent -> line.put("traceparent", parent));
        line.put("path", served.request().api().path());
        line.put("streamed", served.request().isStreamed());
        line.put("arrivedAtMicros", served.headers().atMicros());
        ArrayNode sent = line.putArray("sentNanos");
        served.sentNanos().forEach(sent::add);
        line.put("endNanos", served.endNanos());
        ArrayNode choices = line.putArray("choices");
        served.choices().forEach(journey -> add(choices.addObject(), journey));
        return line;
    }

    private static void add(ObjectNode choice, Journey journey) {
        choice.put("ending", journey.ending().name());
        choice.put("version", journey.version());
        choice.put("promptTokens", journey.promptTokens());
        choice.put("cachedTokens", journey.cachedTokens());
        choice.put("outputTokens", journey.tokenNanos().size());
        choice.put("preemptions", journey.preemptions());
        choice.put("gatewayNanos", journey.gatewayNanos());
        choice.put("authenticationNanos", journey.authenticationNanos());
        choice.put(
                "guardrailNanos",
                journey.guardrail().map(Guardrail.Check::waitedNanos).orElse(0L));
        journey.guardrail().ifPresent(check -> choice.put("guardrailVerdict", check.verdict()));
        choice.put("tokenizeNanos", journey.tokenizeNanos());
        journey.queueNanos().ifPresent(nanos -> choice.put("queueNanos", nanos));
        journey.prefillNanos().ifPresent(nanos -> choice.put("prefillNanos", nanos));
        journey.decodeNanos().ifPresent(nanos -> choice.put("decodeNanos", nanos));
        choice.put("postprocessNanos", journey.postprocessNanos());
    }
}
