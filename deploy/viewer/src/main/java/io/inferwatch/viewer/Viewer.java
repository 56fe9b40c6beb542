package io.inferwatch.viewer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.inferwatch.dashboards.Dashboards;
import io.inferwatch.influx.InfluxClient;
import io.inferwatch.influx.InfluxConfigurationException;
import io.inferwatch.influx.InfluxConnection;
import io.inferwatch.influx.InfluxQueryException;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxUnavailableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the page on loopback until it is closed. Answers GET and HEAD alone, and only requests that name loopback as their host, so that no page from elsewhere can read
 * through a name that it lets point here. The page may load and ask nothing but this server (Content-Security-Policy). Four requests are answered at a time, the others wait.
 */
public final class Viewer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Viewer.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int THREADS = 4;
    private static final String JSON_TYPE = "application/json; charset=utf-8";
    private static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
                    + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options",
            "nosniff",
            "Referrer-Policy",
            "no-referrer",
            "Cross-Origin-Resource-Policy",
            "same-origin",
            "Cache-Control",
            "no-store");

    private final HttpServer server;
    private final ExecutorService threads;
    private final InfluxClient client;
    private final PageFiles files = new PageFiles();
    private final Answers answers;
    private final Set<String> hosts;

    private Viewer(HttpServer server, InfluxClient client) {
        this.server = server;
        this.client = client;
        this.answers = new Answers(
                Dashboards.files().stream().map(ShownDashboard::parse).toList(), new InfluxReader(client));
        int port = server.getAddress().getPort();
        this.hosts = Set.of("127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port);
        this.threads = Executors.newFixedThreadPool(THREADS, task -> {
            Thread thread = new Thread(task, "viewer");
            thread.setDaemon(true);
            return thread;
        });
        server.setExecutor(threads);
        server.createContext("/", this::answer);
    }

    /**
     * Starts it.
     *
     * @param port on loopback; 0 is a free one
     * @throws UncheckedIOException when the port cannot be had
     */
    public static Viewer start(InfluxConnection influx, int port) {
        HttpServer server;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        } catch (IOException e) {
            throw new UncheckedIOException("the page's port " + port + " cannot be had: " + e.getMessage(), e);
        }
        Viewer viewer = new Viewer(server, InfluxClient.open(influx));
        server.start();
        return viewer;
    }

    /** Where the page is. */
    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    /** Stops at once. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
        client.close();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            HEADERS.forEach(exchange.getResponseHeaders()::set);
            try {
                check(exchange);
                route(exchange);
            } catch (BadRequestException e) {
                refuse(exchange, e.status(), String.valueOf(e.getMessage()));
            } catch (InfluxUnavailableException | InfluxConfigurationException e) {
                refuse(exchange, 503, String.valueOf(e.getMessage()));
            } catch (InfluxQueryException e) {
                LOG.warn("a dashboard's query was refused", e);
                refuse(exchange, 502, String.valueOf(e.getMessage()));
            } catch (RuntimeException e) {
                LOG.error("cannot answer {}", exchange.getRequestURI(), e);
                refuse(exchange, 500, "the viewer failed; its log says how");
            }
        }
    }

    private void check(HttpExchange exchange) {
        String host = exchange.getRequestHeaders().getFirst("Host");
        if (host == null || !hosts.contains(host)) {
            throw new BadRequestException(403, "Host: must be " + url() + " without its path, found '" + host + "'");
        }
        if (!Set.of("GET", "HEAD").contains(exchange.getRequestMethod())) {
            throw new BadRequestException(405, "method: must be GET, found " + exchange.getRequestMethod());
        }
    }

    private void route(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        Parameters parameters = Parameters.parse(exchange.getRequestURI().getRawQuery());
        switch (path) {
            case "/api/dashboards" -> send(exchange, answers.list());
            case "/api/dashboard" -> send(exchange, 200, JSON_TYPE, answers.file(parameters.one("uid")));
            case "/api/variables" -> send(exchange, answers.variables(parameters));
            case "/api/query" -> send(exchange, answers.query(parameters));
            case "/api/marks" -> send(exchange, answers.marks(parameters));
            default -> {
                PageFiles.PageFile file = files.find(path)
                        .orElseThrow(
                                () -> new BadRequestException(404, "path: must be one of the page's, found " + path));
                send(exchange, 200, file.type(), file.content());
            }
        }
    }

    private static void send(HttpExchange exchange, JsonNode json) throws IOException {
        send(exchange, 200, JSON_TYPE, JSON.writeValueAsBytes(json));
    }

    private static void refuse(HttpExchange exchange, int status, String why) throws IOException {
        send(
                exchange,
                status,
                JSON_TYPE,
                JSON.writeValueAsString(Map.of("error", why)).getBytes(StandardCharsets.UTF_8));
    }

    private static void send(HttpExchange exchange, int status, String type, byte[] content) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        boolean isHead = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(status, isHead ? -1 : content.length);
        if (!isHead) {
            exchange.getResponseBody().write(content);
        }
    }
}
