package io.inferwatch.probes.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Takes the usage chunk out of an event stream: the event whose data have a usage and no choices. All other bytes pass unchanged; those of an event wait for its end, which servers send
 * in the same write, up to {@value #MAX_EVENT_BYTES} bytes. Lines end with LF or CR LF; in a stream with other ends nothing is taken out and nothing waits longer than that. Not thread safe.
 */
final class UsageChunkFilter {
    static final int MAX_EVENT_BYTES = 64 << 10;

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final byte[] USAGE = "\"usage\"".getBytes(StandardCharsets.US_ASCII);

    private final ByteArrayOutputStream event = new ByteArrayOutputStream(1024);
    private boolean isLineEmpty = true;
    private boolean isTooLong;

    /** What of the bytes, and of those that waited, is to be passed on now. */
    ByteBuf filter(ByteBuf bytes) {
        ByteArrayOutputStream passed = new ByteArrayOutputStream(event.size() + bytes.readableBytes());
        for (byte b : ByteBufUtil.getBytes(bytes)) {
            event.write(b);
            if (b == '\n') {
                if (isLineEmpty) {
                    endEvent(passed);
                }
                isLineEmpty = true;
            } else if (b != '\r') {
                isLineEmpty = false;
            }
            if (isTooLong || event.size() > MAX_EVENT_BYTES) {
                isTooLong = true;
                passWaiting(passed);
            }
        }
        return Unpooled.wrappedBuffer(passed.toByteArray());
    }

    /** What still waits at the end of the stream. */
    ByteBuf rest() {
        ByteArrayOutputStream passed = new ByteArrayOutputStream(event.size());
        passWaiting(passed);
        return Unpooled.wrappedBuffer(passed.toByteArray());
    }

    private void endEvent(ByteArrayOutputStream passed) {
        if (isTooLong || !isUsageChunk(event.toByteArray())) {
            passWaiting(passed);
        }
        event.reset();
        isTooLong = false;
    }

    private void passWaiting(ByteArrayOutputStream passed) {
        passed.writeBytes(event.toByteArray());
        event.reset();
    }

    private static boolean isUsageChunk(byte[] bytes) {
        if (Unpooled.wrappedBuffer(bytes).readableBytes() < USAGE.length
                || ByteBufUtil.indexOf(Unpooled.wrappedBuffer(USAGE), Unpooled.wrappedBuffer(bytes)) < 0) {
            return false;
        }
        StringBuilder data = new StringBuilder();
        for (String line : new String(bytes, StandardCharsets.UTF_8).split("\r?\n", -1)) {
            if (line.startsWith("data:")) {
                data.append(line, "data:".length(), line.length());
            } else if (!line.isEmpty() && !line.startsWith(":")) {
                // An event with a name or an id is more than the usage.
                return false;
            }
        }
        try {
            JsonNode chunk = JSON.readTree(data.toString());
            return chunk != null
                    && chunk.path("usage").isObject()
                    && chunk.path("choices").isArray()
                    && chunk.path("choices").isEmpty();
        } catch (IOException e) {
            return false;
        }
    }
}
