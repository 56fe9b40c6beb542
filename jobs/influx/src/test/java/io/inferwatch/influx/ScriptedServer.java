package io.inferwatch.influx;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.zip.GZIPInputStream;

/** An HTTP server that answers as a function of the request says, and remembers the requests. */
final class ScriptedServer implements AutoCloseable {
    /** A request as it came; the body decompressed. */
    record Request(String method, String target, String authorization, String encoding, String body) {
        String path() {
            int query = target.indexOf('?');
            return query < 0 ? target : target.substring(0, query);
        }
    }

    /** An answer. */
    record Answer(int status, String contentType, String body) {
        static Answer json(int status, String body) {
            return new Answer(status, "application/json", body);
        }

        static Answer text(int status, String body) {
            return new Answer(status, "text/plain", body);
        }
    }

    private final HttpServer server;
    private final List<Request> requests = Collections.synchronizedList(new ArrayList<>());

    ScriptedServer(String version, Function<Request, Answer> script) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            Request request = read(exchange);
            exchange.getResponseHeaders().add("X-Influxdb-Version", version);
            if (request.path().equals("/ping")) {
                exchange.sendResponseHeaders(204, -1);
            } else {
                requests.add(request);
                Answer answer = script.apply(request);
                byte[] body = answer.body.getBytes(StandardCharsets.UTF_8);
                exchange.getResponseHeaders().add("Content-Type", answer.contentType);
                exchange.sendResponseHeaders(answer.status, body.length == 0 ? -1 : body.length);
                exchange.getResponseBody().write(body);
            }
            exchange.close();
        });
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    List<Request> requests() {
        return List.copyOf(requests);
    }

    @Override
    public void close() {
        server.stop(0);
    }

    private static Request read(HttpExchange exchange) {
        String encoding = header(exchange, "Content-Encoding");
        try (InputStream raw = exchange.getRequestBody();
                InputStream body = encoding.equals("gzip") ? new GZIPInputStream(raw) : raw) {
            return new Request(
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().toString(),
                    header(exchange, "Authorization"),
                    encoding,
                    new String(body.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String header(HttpExchange exchange, String name) {
        String value = exchange.getRequestHeaders().getFirst(name);
        return value == null ? "" : value;
    }
}
