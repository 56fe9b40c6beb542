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
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A probe's admin port: {@code /metrics} in Prometheus' text formats, {@code /livez} as long as the process answers, {@code /readyz} 200, or 503
 * with the reason while the probe is not ready. Plain HTTP without authentication, hence on loopback unless told otherwise. It has one thread of
 * its own, so that nothing asked here can hold up a request that is being measured.
 */
public final class AdminServer implements AutoCloseable {
    private static final String TEXT = "text/plain; charset=utf-8";

    private final HttpServer server;
    private final ExecutorService thread;

    private AdminServer(HttpServer server, ExecutorService thread) {
        this.server = server;
        this.thread = thread;
    }

    /**
     * Listens from now on.
     *
     * @throws InvalidSettingsException when nothing can listen there
     */
    public static AdminServer start(ListenAddress address, PrometheusRegistry registry, Readiness readiness) {
        HttpServer server;
        try {
            server = HttpServer.create(address.socketAddress(), 0);
        } catch (IOException | IllegalArgumentException e) {
            throw new InvalidSettingsException(
                    "admin port",
                    List.of("admin-listen: must be an address that is free on this host, found " + address + " ("
                            + e.getMessage() + ")"));
        }
        ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
            Thread admin = new Thread(task, "inferwatch-admin");
            admin.setDaemon(true);
            return admin;
        });
        server.setExecutor(thread);
        ExpositionFormats formats = ExpositionFormats.init();
        server.createContext("/metrics", exchange -> metrics(exchange, registry, formats));
        server.createContext("/livez", exchange -> answer(exchange, "/livez", 200, "alive\n"));
        server.createContext("/readyz", exchange -> {
            Optional<String> obstacle = readiness.obstacle();
            answer(exchange, "/readyz", obstacle.isEmpty() ? 200 : 503, obstacle.orElse("ready") + "\n");
        });
        server.start();
        return new AdminServer(server, thread);
    }

    /** The port on which it listens. */
    public int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        thread.shutdownNow();
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
