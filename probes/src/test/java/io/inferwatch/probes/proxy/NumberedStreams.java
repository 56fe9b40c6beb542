package io.inferwatch.probes.proxy;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Answers each chat with a stream of its own number; a stream that is to be held stops after its first token until it is let go. */
final class NumberedStreams implements ScriptedUpstream.Script {
    static final String ASK =
            "{\"model\":\"m\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"count\"}]}";

    private static final Pattern NUMBER = Pattern.compile("[?&]n=(\\d+)");
    private static final String HEAD =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

    private final CountDownLatch letGo = new CountDownLatch(1);
    private final AtomicInteger begun = new AtomicInteger();

    static String path(int number) {
        return "/v1/chat/completions?n=" + number;
    }

    static String heldPath(int number) {
        return path(number) + "&held";
    }

    static String first(int number) {
        return event("{\"content\":\"" + number + "\"}", "null");
    }

    static String rest(int number) {
        return event("{\"content\":\" and " + number + "\"}", "null") + event("{}", "\"stop\"") + "data: [DONE]\n\n";
    }

    /** Streams whose first token was sent. */
    int begun() {
        return begun.get();
    }

    /** Held streams go on to their ends. */
    void letGo() {
        letGo.countDown();
    }

    @Override
    public boolean answer(ScriptedUpstream.Request request, Socket connection)
            throws IOException, InterruptedException {
        Matcher matcher = NUMBER.matcher(request.head());
        if (!matcher.find()) {
            throw new IOException("no number in " + request.head());
        }
        int number = Integer.parseInt(matcher.group(1));
        ScriptedUpstream.write(connection.getOutputStream(), HEAD + chunk(first(number)));
        begun.incrementAndGet();
        if (request.head().contains("&held")) {
            letGo.await();
        }
        ScriptedUpstream.write(connection.getOutputStream(), chunk(rest(number)) + "0\r\n\r\n");
        return true;
    }

    private static String event(String delta, String reason) {
        return "data: {\"choices\":[{\"index\":0,\"delta\":" + delta + ",\"finish_reason\":" + reason + "}]}\n\n";
    }

    private static String chunk(String text) {
        return Integer.toHexString(text.getBytes(StandardCharsets.UTF_8).length) + "\r\n" + text + "\r\n";
    }
}
