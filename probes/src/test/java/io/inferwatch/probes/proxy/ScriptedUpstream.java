package io.inferwatch.probes.proxy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A server that reads requests and answers with exactly the bytes that a script writes. */
final class ScriptedUpstream implements AutoCloseable {
    /** One request as it came. */
    record Request(String head, byte[] body) {
        String bodyText() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    /** Answers one request; returns whether the connection stays. */
    interface Script {
        boolean answer(Request request, Socket connection) throws IOException, InterruptedException;
    }

    private final ServerSocket listening;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();
    private volatile Script script;

    ScriptedUpstream(Script script) {
        this(script, socketOnLoopback());
    }

    ScriptedUpstream(Script script, ServerSocket listening) {
        this.script = script;
        this.listening = listening;
        threads.execute(this::accept);
    }

    /** Answers every request with these bytes and keeps the connection. */
    static Script always(byte[] answer) {
        return (request, connection) -> {
            connection.getOutputStream().write(answer);
            return true;
        };
    }

    void script(Script next) {
        script = next;
    }

    int port() {
        return listening.getLocalPort();
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + port());
    }

    List<Request> requests() {
        return requests;
    }

    int connections() {
        return connections.get();
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket socket : open) {
            socket.close();
        }
        threads.shutdownNow();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listening.accept();
                socket.setTcpNoDelay(true);
                open.add(socket);
                connections.incrementAndGet();
                threads.execute(() -> serve(socket));
            }
        } catch (SocketException e) {
            // Closed.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = socket.getInputStream();
            for (Request request = read(in); request != null; request = read(in)) {
                requests.add(request);
                if (!script.answer(request, socket)) {
                    return;
                }
            }
        } catch (IOException | InterruptedException e) {
            // The peer went away, or the test is over.
        }
    }

    static Request read(InputStream in) throws IOException {
        String head = head(in);
        if (head == null) {
            return null;
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (String line : head.split("\r\n", -1)) {
            String lower = line.toLowerCase(Locale.ROOT);
            if (lower.startsWith("content-length:")) {
                body.write(in.readNBytes(Integer.parseInt(lower.substring(15).trim())));
            } else if (lower.startsWith("transfer-encoding: chunked")) {
                for (int length = chunkLength(in); length > 0; length = chunkLength(in)) {
                    body.write(in.readNBytes(length));
                    line(in);
                }
                line(in);
            }
        }
        return new Request(head, body.toByteArray());
    }

    private static int chunkLength(InputStream in) throws IOException {
        return Integer.parseInt(line(in), 16);
    }

    private static String head(InputStream in) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line = line(in); line != null; line = line(in)) {
            if (line.isEmpty()) {
                return String.join("\r\n", lines);
            }
            lines.add(line);
        }
        return null;
    }

    static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b >= 0; b = in.read()) {
            if (b == '\n') {
                String text = line.toString(StandardCharsets.ISO_8859_1);
                return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
            }
            line.write(b);
        }
        return null;
    }

    private static ServerSocket socketOnLoopback() {
        try {
            return new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }
}
