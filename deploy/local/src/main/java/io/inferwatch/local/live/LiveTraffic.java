package io.inferwatch.local.live;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends the requests of a trace as streamed chats when they are due, to one server after the other, whether former ones are answered or
 * not, from a thread of its own, until it is stopped. Each prompt is a text of its own, so that no cache shortens what the trace says.
 */
final class LiveTraffic implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofMinutes(5);
    private static final int CHARACTERS_PER_TOKEN = 4;
    /** What the interface puts around a prompt. */
    private static final int AROUND_PROMPT = "<|user|><|assistant|>".length();

    private final LiveTrace trace;
    private final List<URI> servers;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final Thread thread = new Thread(this::send, "live-traffic");
    private volatile boolean isStopped;
    private volatile boolean isLengthened;

    private LiveTraffic(LiveTrace trace, List<URI> servers) {
        this.trace = trace;
        this.servers = servers;
    }

    static LiveTraffic start(LiveTrace trace, List<URI> servers) {
        LiveTraffic traffic = new LiveTraffic(trace, servers);
        traffic.thread.setDaemon(true);
        traffic.thread.start();
        return traffic;
    }

    long sent() {
        return sent.get();
    }

    /** Answers that came whole, and those that did not. */
    long ended() {
        return answered.get() + failed.get();
    }

    long failed() {
        return failed.get();
    }

    /** From now on some prompts are long ones, see {@link LiveTrace.Row#lengthened}. */
    void lengthen() {
        isLengthened = true;
    }

    /** Sends no more; what is open goes on. */
    void stop() throws InterruptedException {
        isStopped = true;
        LockSupport.unpark(thread);
        thread.join();
    }

    @Override
    public void close() {
        isStopped = true;
        LockSupport.unpark(thread);
    }

    private void send() {
        long beginNanos = System.nanoTime();
        for (int number = 0; !isStopped; number++) {
            LiveTrace.Row row = trace.row(number);
            long wait = beginNanos + row.afterNanos() - System.nanoTime();
            while (wait > 0 && !isStopped) {
                LockSupport.parkNanos(this, wait);
                wait = beginNanos + row.afterNanos() - System.nanoTime();
            }
            if (!isStopped) {
                send(row);
            }
        }
    }

    private void send(LiveTrace.Row traced) {
        LiveTrace.Row row = isLengthened ? traced.lengthened() : traced;
        URI server = servers.get(row.number() % servers.size());
        HttpRequest request = HttpRequest.newBuilder(server.resolve("/v1/chat/completions"))
                .timeout(TIMEOUT)
                .header("content-type", "application/json")
                .header("x-tenant-id", "tenant-" + row.number() % 5)
                .header("traceparent", traceparent(row.number()))
                .POST(HttpRequest.BodyPublishers.ofString(body(row)))
                .build();
        sent.incrementAndGet();
        var unused = client.sendAsync(request, HttpResponse.BodyHandlers.discarding())
                .whenComplete((response, failure) -> {
                    boolean isWhole = failure == null && response.statusCode() == 200;
                    (isWhole ? answered : failed).incrementAndGet();
                });
    }

    /** As a client that is traced sends it; the server's span has it too. */
    private static String traceparent(int number) {
        return "00-%032x-%016x-01".formatted(number + 1, number + 1);
    }

    private static String body(LiveTrace.Row row) {
        int characters = Math.max(1, row.promptTokens() * CHARACTERS_PER_TOKEN - AROUND_PROMPT);
        String begin = "request " + row.number() + " ";
        String prompt = begin + "word ".repeat(characters / 5 + 1);
        return "{\"messages\": [{\"role\": \"user\", \"content\": \"" + prompt.substring(0, characters)
                + "\"}], \"stream\": true, \"stream_options\": {\"include_usage\": true}, \"ignore_eos\": true, \"max_tokens\": "
                + row.answerTokens() + "}";
    }
}
