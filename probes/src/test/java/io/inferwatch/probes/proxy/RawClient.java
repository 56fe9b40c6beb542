package io.inferwatch.probes.proxy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A client that sees the bytes of an answer. */
final class RawClient implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;

    RawClient(int port) throws IOException {
        this(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    RawClient(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(10_000);
        socket.setTcpNoDelay(true);
        in = socket.getInputStream();
    }

    RawClient send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    RawClient post(String path, String body) throws IOException {
        return send("POST " + path + " HTTP/1.1\r\nHost: model\r\nContent-Type: application/json\r\nContent-Length: "
                + body.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + body);
    }

    /** Status line and headers. */
    List<String> head() throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line = ScriptedUpstream.line(in);
                line != null && !line.isEmpty();
                line = ScriptedUpstream.line(in)) {
            lines.add(line);
        }
        return lines;
    }

    /** The next chunk; empty at the end of the body. */
    String chunk() throws IOException {
        return new String(chunkBytes(), StandardCharsets.UTF_8);
    }

    String chunkedBody() throws IOException {
        return new String(chunkedBytes(), StandardCharsets.UTF_8);
    }

    byte[] chunkedBytes() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (byte[] chunk = chunkBytes(); chunk.length > 0; chunk = chunkBytes()) {
            body.write(chunk);
        }
        return body.toByteArray();
    }

    private byte[] chunkBytes() throws IOException {
        String length = ScriptedUpstream.line(in);
        if (length == null) {
            throw new IOException("the connection ended within the body");
        }
        byte[] chunk = in.readNBytes(Integer.parseInt(length, 16));
        ScriptedUpstream.line(in);
        return chunk;
    }

    byte[] bytes(int count) throws IOException {
        return in.readNBytes(count);
    }

    /** Everything up to the end of the connection. */
    byte[] rest() throws IOException {
        return in.readAllBytes();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
