package io.inferwatch.probes.admin;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A probe's admin port: {@code /metrics} in Prometheus' text formats, {@code /livez} as long as the process answers, {@code /readyz} 200, or 503
 * with the reason while the probe is not ready, and what serving processes may report by POST, with a token where one is set. Plain HTTP, hence on loopback
 * unless told otherwise. It has threads of its own, so that nothing asked here can hold up a request that is being measured, and posts have others than pages, so that no sender keeps
 * {@code /livez} from answering. A request that takes over {@value #MAX_REQUEST_SECONDS} s is broken off, one with more than {@value #MAX_BODY_BYTES} bytes refused; where too many posts
 * wait, the connection is closed.
 */
public final class AdminServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);

    static final int MAX_BODY_BYTES = 4 << 20;
    static final int MAX_REQUEST_SECONDS = 30;

    private static final int POSTING_THREADS = 2;
    private static final int WAITING_POSTS = 16;

    private static final String TEXT = "text/plain; charset=utf-8";

    static {
        // The only way to keep a sender that never ends from holding a thread; read once, when the first server is
        // made.
        System.setProperty("sun.net.httpserver.maxReqTime", Integer.toString(MAX_REQUEST_SECONDS));
    }

    private final HttpServer server;
    private final ExecutorService reading;
    private final ExecutorService posting;

    private AdminServer(HttpServer server, ExecutorService reading, ExecutorService posting) {
        this.server = server;
        this.reading = reading;
        this.posting = posting;
    }

    /** What is done with the body of a POST. */
    public interface Post {
        /**
         * Takes a body.
         *
         * @param query the parameters of the request's query
         */
        Answer take(byte[] body, Map<String, String> query);
    }

    /** An answer in JSON. */
    public record Answer(int status, String json) {}

    /**
     * What may be posted.
     *
     * @param byPath by path
     * @param token what senders must know, if anything
     */
    public record Posts(Map<String, Post> byPath, Optional<BearerToken> token) {
        /** Nothing may be. */
        public static final Posts NONE = new Posts(Map.of(), Optional.empty());
    }

    /** Listens from now on, for readers alone. */
    public static AdminServer start(ListenAddress address, PrometheusRegistry registry, Readiness readiness) {
        return start(address, registry, readiness, Posts.NONE);
    }

    /**
     * Listens from now on.
     *
     * @throws InvalidSettingsException when nothing can listen there
     */
    public static AdminServer start(
            ListenAddress address, PrometheusRegistry registry, Readiness readiness, Posts posts) {
        HttpServer server;
        try {
            server = HttpServer.create(address.socketAddress(), 0);
        } catch (IOException | IllegalArgumentException e) {
            throw new InvalidSettingsException(
                    "admin port",
                    List.of("admin-listen: must be an address that is free on this host, found " + address + " ("
                            + e.getMessage() + ")"));
        }
        ExecutorService reading = Executors.newSingleThreadExecutor(task -> daemon(task, "inferwatch-admin"));
        server.setExecutor(reading);
        ExpositionFormats formats = ExpositionFormats.init();
        server.createContext("/metrics", exchange -> metrics(exchange, registry, formats));
        server.createContext("/livez", exchange -> answer(exchange, "/livez", 200, "alive\n"));
        server.createContext("/readyz", exchange -> {
            Optional<String> obstacle = readiness.obstacle();
            answer(exchange, "/readyz", obstacle.isEmpty() ? 200 : 503, obstacle.orElse("ready") + "\n");
        });
        ThreadPoolExecutor posting = new ThreadPoolExecutor(
                POSTING_THREADS,
                POSTING_THREADS,
                0,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(WAITING_POSTS),
                task -> daemon(task, "inferwatch-admin-posts"));
        posts.byPath.forEach((path, post) -> server.createContext(path, exchange -> {
            try {
                posting.execute(() -> post(exchange, path, post, posts.token));
            } catch (RejectedExecutionException e) {
                // An answer would first wait for the rest of the body.
                exchange.close();
            }
        }));
        server.start();
        return new AdminServer(server, reading, posting);
    }

    /** The port on which it listens. */
    public int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        reading.shutdownNow();
        posting.shutdownNow();
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    private static void post(HttpExchange exchange, String path, Post post, Optional<BearerToken> token) {
        try (exchange) {
            Answer answer;
            if (!exchange.getRequestURI().getPath().equals(path)) {
                answer = new Answer(404, error("path: must be " + path));
            } else if (!exchange.getRequestMethod().equals("POST")) {
                exchange.getResponseHeaders().set("Allow", "POST");
                answer = new Answer(405, error("method: must be POST"));
            } else if (token.isPresent()
                    && !token.get().isIn(exchange.getRequestHeaders().getFirst("Authorization"))) {
                answer = new Answer(401, error("authorization: must be Bearer and the token"));
            } else {
                answer = take(exchange, post);
            }
            byte[] json = (answer.json + "\n").getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(answer.status, json.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(json);
            }
        } catch (IOException e) {
            // The sender went away or took too long; it has no answer and knows.
            LOG.debug("a post to {} broke off", path, e);
        }
    }

    private static Answer take(HttpExchange exchange, Post post) throws IOException {
        byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES + 1);
        return body.length > MAX_BODY_BYTES
                ? new Answer(413, error("body: must be at most " + MAX_BODY_BYTES + " bytes"))
                : post.take(body, query(exchange.getRequestURI().getRawQuery()));
    }

    private static String error(String text) {
        return "{\"error\":\"" + text + "\"}";
    }

    private static Map<String, String> query(@Nullable String raw) {
        Map<String, String> query = new HashMap<>();
        if (raw != null) {
            for (String pair : raw.split("&", -1)) {
                int equals = pair.indexOf('=');
                String name = equals < 0 ? pair : pair.substring(0, equals);
                String value = equals < 0 ? "" : pair.substring(equals + 1);
                query.put(
                        URLDecoder.decode(name, StandardCharsets.UTF_8),
                        URLDecoder.decode(value, StandardCharsets.UTF_8));
            }
        }
        return query;
    }

    private static void metrics(HttpExchange exchange, PrometheusRegistry registry, ExpositionFormats formats)
            throws IOException {
        ExpositionFormatWriter writer =
                formats.findWriter(exchange.getRequestHeaders().getFirst("Accept"));
        ByteArrayOutputStream page = new ByteArrayOutputStream();
        try {
            writer.write(page, registry.scrape());
        } catch (IOException e) {
            throw new UncheckedIOException("a page in memory cannot fail to be written", e);
        }
        answer(exchange, "/metrics", 200, writer.getContentType(), page.toByteArray());
    }

    private static void answer(HttpExchange exchange, String path, int status, String text) throws IOException {
        answer(exchange, path, status, TEXT, text.getBytes(StandardCharsets.UTF_8));
    }

    /** A context serves every path that begins like it; only the path itself is meant. */
    private static void answer(HttpExchange exchange, String path, int status, String type, byte[] body)
            throws IOException {
        try (exchange) {
            String method = exchange.getRequestMethod();
            boolean isHead = method.equals("HEAD");
            if (!exchange.getRequestURI().getPath().equals(path)) {
                exchange.sendResponseHeaders(404, -1);
            } else if (!isHead && !method.equals("GET")) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                exchange.sendResponseHeaders(405, -1);
            } else {
                exchange.getResponseHeaders().set("Content-Type", type);
                exchange.sendResponseHeaders(status, isHead ? -1 : body.length);
                if (!isHead) {
                    try (OutputStream out = exchange.getResponseBody()) {
                        out.write(body);
                    }
                }
            }
        }
    }
}
