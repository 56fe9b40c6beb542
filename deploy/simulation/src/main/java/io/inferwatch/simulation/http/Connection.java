package io.inferwatch.simulation.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferwatch.simulation.serving.Beginning;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The answering side of one request's connection. Every answer says that it is simulated. On the connection's thread alone. */
final class Connection {
    /** Stands in every answer. */
    static final String SIMULATED_HEADER = "x-simulated-by";

    private static final String SIMULATED = "inferwatch";
    private static final String JSON_TYPE = "application/json";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Channel channel;
    private final boolean isKeptAlive;
    private @Nullable Beginning beginning;

    Connection(Channel channel, boolean isKeptAlive) {
        this.channel = channel;
        this.isKeptAlive = isKeptAlive;
    }

    /** What the headers of the answer shall say of its stages, in a {@code server-timing} and a {@code x-guardrail}. */
    void tell(Beginning known) {
        beginning = known;
    }

    void answer(int status, JsonNode body) {
        answer(status, JSON_TYPE, text(body));
    }

    void answer(int status, String type, String body) {
        ByteBuf bytes = Unpooled.copiedBuffer(body, StandardCharsets.UTF_8);
        DefaultFullHttpResponse response =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status), bytes);
        mark(response.headers());
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
        response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, bytes.readableBytes());
        HttpUtil.setKeepAlive(response, isKeptAlive);
        var written = channel.writeAndFlush(response);
        if (!isKeptAlive) {
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }

    void beginStream() {
        DefaultHttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        mark(response.headers());
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/event-stream; charset=utf-8");
        response.headers().set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_CACHE);
        response.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        HttpUtil.setKeepAlive(response, isKeptAlive);
        var unused = channel.write(response);
    }

    /** Not sent before {@link #flush()}. */
    void event(JsonNode data) {
        event(text(data));
    }

    void event(String data) {
        var unused = channel.write(
                new DefaultHttpContent(Unpooled.copiedBuffer("data: " + data + "\n\n", StandardCharsets.UTF_8)));
    }

    void flush() {
        channel.flush();
    }

    void endStream() {
        event("[DONE]");
        var written = channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
        if (!isKeptAlive) {
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }

    private void mark(HttpHeaders headers) {
        headers.set(SIMULATED_HEADER, SIMULATED);
        headers.set(HttpHeaderNames.SERVER, "inferwatch-simulation");
        if (beginning != null) {
            headers.set(
                    "server-timing",
                    "gateway;dur=%s, authentication;dur=%s, tokenize;dur=%s, queue;dur=%s, prefill;dur=%s"
                            .formatted(
                                    millis(beginning.gatewayNanos()),
                                    millis(beginning.authenticationNanos()),
                                    millis(beginning.tokenizeNanos()),
                                    millis(beginning.queueNanos()),
                                    millis(beginning.prefillNanos())));
            beginning
                    .guardrail()
                    .ifPresent(check -> headers.set(
                            "x-guardrail",
                            "prompt-check;phase=%s;verdict=%s;dur=%s"
                                    .formatted(check.mode().text(), check.verdict(), millis(check.waitedNanos()))));
        }
    }

    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.3f", nanos / 1e6);
    }

    private static String text(JsonNode node) {
        try {
            return JSON.writeValueAsString(node);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("JSON in memory cannot fail to be written", e);
        }
    }
}
