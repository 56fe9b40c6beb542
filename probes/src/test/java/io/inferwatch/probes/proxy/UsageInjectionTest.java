package io.inferwatch.probes.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UsageInjectionTest {
    private static final String TOKEN =
            "data: {\"choices\":[{\"delta\":{\"content\":\"\\\"usage\\\" é\"}}],\"usage\":null}\n\n";
    private static final String USAGE =
            ": note\ndata: {\"id\":\"c\", \"choices\": [ ], \"usage\": {\"completion_tokens\": 1}}\n\n";
    private static final String RUNNING =
            "data: {\"choices\":[{\"delta\":{}}],\"usage\":{\"completion_tokens\":1}}\n\n";
    private static final String DONE = "data: [DONE]\n\n";

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"model":"m","stream":true}                                       | {"stream_options":{"include_usage":true},"model":"m","stream":true}
            {"stream" : true, "messages":[{"stream":false}]}                  | {"stream_options":{"include_usage":true},"stream" : true, "messages":[{"stream":false}]}
            {"stream":true,"stream_options":{}}                               | {"stream":true,"stream_options":{"include_usage":true}}
            {"stream":true,"stream_options":{"continuous_usage_stats":false}} | {"stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":false}}
            {"prompt":"é","stream":true}                                      | {"stream_options":{"include_usage":true},"prompt":"é","stream":true}
            """)
    void asksWhereTheClientDoesNot(String body, String expected) {
        HttpRequest request = request(body);
        assertThat(applied(request, body)).isEqualTo(expected);
        assertThat(request.headers().getInt(HttpHeaderNames.CONTENT_LENGTH))
                .isEqualTo(expected.getBytes(StandardCharsets.UTF_8).length);
        assertThat(request.headers().contains(HttpHeaderNames.ACCEPT_ENCODING)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"model\":\"m\"}",
                "{\"stream\":false}",
                "{\"stream\":true,\"stream_options\":{\"include_usage\":true}}",
                "{\"stream\":true,\"stream_options\":{\"include_usage\":false}}",
                "{\"stream\":true,\"stream_options\":null}",
                "{\"stream\":true",
                "{\"stream\":true}}",
                "[1]",
                "no JSON",
                "{}"
            })
    void leavesEveryOtherBodyAsItIs(String body) {
        HttpRequest request = request(body);
        assertThat(applied(request, body)).isNull();
        assertThat(request.headers()).isEqualTo(request(body).headers());
    }

    @Test
    void holdsOnlyWhatItCanChange() {
        assertThat(UsageInjection.mayApply(request("x"))).isTrue();
        HttpRequest embeddings = request("x").setUri("/v1/embeddings");
        assertThat(UsageInjection.mayApply(embeddings)).isFalse();
        HttpRequest encoded = request("x");
        encoded.headers().set(HttpHeaderNames.CONTENT_ENCODING, "gzip");
        assertThat(UsageInjection.mayApply(encoded)).isFalse();
        HttpRequest large = request("x");
        large.headers().set(HttpHeaderNames.CONTENT_LENGTH, UsageInjection.MAX_BODY_BYTES + 1);
        assertThat(UsageInjection.mayApply(large)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n"})
    void takesOutTheUsageChunkInAnySplit(String lineEnd) {
        String stream = (TOKEN + RUNNING + USAGE + DONE).replace("\n", lineEnd);
        String expected = (TOKEN + RUNNING + DONE).replace("\n", lineEnd);
        byte[] bytes = stream.getBytes(StandardCharsets.UTF_8);
        for (int first = 0; first <= bytes.length; first++) {
            assertThat(filtered(bytes, first)).as("split at %s", first).isEqualTo(expected);
        }
    }

    @Test
    void whatIsNoUsageChunkPassesByteForByte() {
        String stream = "event: x\n" + USAGE + "data: \"usage\" {\n\ndata: {\"choices\":[],\"usage\":null}\n\ndata: "
                + "a\"usage\"".repeat(20_000) + "\n\n" + TOKEN + "data: {\"choices\":[],\"usage\":{}}";
        byte[] bytes = stream.getBytes(StandardCharsets.UTF_8);
        assertThat(filtered(bytes, bytes.length / 2)).isEqualTo(stream);
    }

    private static String filtered(byte[] bytes, int first) {
        UsageChunkFilter filter = new UsageChunkFilter();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        add(out, filter.filter(Unpooled.wrappedBuffer(bytes, 0, first)));
        add(out, filter.filter(Unpooled.wrappedBuffer(bytes, first, bytes.length - first)));
        add(out, filter.rest());
        return out.toString(StandardCharsets.UTF_8);
    }

    private static void add(ByteArrayOutputStream out, ByteBuf bytes) {
        byte[] copy = new byte[bytes.readableBytes()];
        bytes.readBytes(copy);
        out.writeBytes(copy);
    }

    private static @Nullable String applied(HttpRequest request, String body) {
        ByteBuf asking = UsageInjection.apply(request, Unpooled.copiedBuffer(body, StandardCharsets.UTF_8));
        return asking == null ? null : asking.toString(StandardCharsets.UTF_8);
    }

    private static HttpRequest request(String body) {
        HttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/v1/chat/completions");
        request.headers()
                .set(HttpHeaderNames.CONTENT_LENGTH, body.getBytes(StandardCharsets.UTF_8).length)
                .set(HttpHeaderNames.ACCEPT_ENCODING, "gzip");
        return request;
    }
}
