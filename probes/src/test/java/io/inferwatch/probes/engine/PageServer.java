package io.inferwatch.probes.engine;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A server whose paths answer as a test says. Closing it lets those go that hang. */
final class PageServer implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Map<String, AtomicInteger> asked = new ConcurrentHashMap<>();

    interface Answer {
        void to(HttpExchange exchange) throws IOException;
    }

    PageServer() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.start();
    }

    PageServer on(String path, Answer answer) {
        asked.put(path, new AtomicInteger());
        server.createContext(path, exchange -> {
            count(path).incrementAndGet();
            try (exchange) {
                answer.to(exchange);
            }
        });
        return this;
    }

    /** Answers with a page. */
    PageServer on(String path, String contentType, String page) {
        return on(path, exchange -> send(exchange, contentType, page.getBytes(StandardCharsets.UTF_8)));
    }

    /** Never answers. */
    PageServer hanging(String path) {
        return on(path, exchange -> {
            try {
                closed.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    static void send(HttpExchange exchange, String contentType, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", contentType);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
    }

    int asked(String path) {
        return count(path).get();
    }

    private AtomicInteger count(String path) {
        return asked.computeIfAbsent(path, absent -> new AtomicInteger());
    }

    URI url(String path) {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
