package io.inferwatch.probes.proxy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.inferwatch.probes.proxy.measure.Dialect;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Asks for the token counts of a stream whose client did not: adds {@code stream_options.include_usage} to a request for chat or text completions, so that the answer ends with one chunk
 * more, which {@link UsageChunkFilter} takes out again. The request is held until all of it is there, up to {@value #MAX_BODY_BYTES} bytes; a request that is longer, encoded, of unknown
 * length, not streamed, no JSON object, or that says itself whether it wants usage, goes on as it came.
 */
final class UsageInjection {
    static final int MAX_BODY_BYTES = 4 << 20;

    private static final JsonFactory JSON = new JsonFactory();
    private static final byte[] OPTION = "\"include_usage\":true".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] OPTIONS =
            "\"stream_options\":{\"include_usage\":true},".getBytes(StandardCharsets.US_ASCII);

    private UsageInjection() {}

    /** Whether to hold the request's body for a look. */
    static boolean mayApply(HttpRequest request) {
        Dialect dialect = Dialect.of(request.method().name(), request.uri());
        HttpHeaders headers = request.headers();
        return (dialect == Dialect.CHAT || dialect == Dialect.COMPLETIONS)
                && !headers.contains(HttpHeaderNames.CONTENT_ENCODING)
                && !headers.contains(HttpHeaderNames.EXPECT)
                && !HttpUtil.isTransferEncodingChunked(request)
                && HttpUtil.getContentLength(request, -1L) > 0
                && HttpUtil.getContentLength(request, -1L) <= MAX_BODY_BYTES;
    }

    /**
     * The body that asks for usage, with the headers changed to fit; null when it is to go on as it came.
     *
     * @param body stays the caller's
     */
    static @Nullable ByteBuf apply(HttpRequest request, ByteBuf body) {
        byte[] bytes = ByteBufUtil.getBytes(body);
        Place place;
        try {
            place = place(bytes);
        } catch (IOException e) {
            return null;
        }
        if (place == null) {
            return null;
        }
        request.headers().set(HttpHeaderNames.CONTENT_LENGTH, bytes.length + place.insertion.length);
        // The chunk could not be taken out of a compressed stream.
        request.headers().remove(HttpHeaderNames.ACCEPT_ENCODING);
        return Unpooled.wrappedBuffer(
                Unpooled.wrappedBuffer(bytes, 0, place.at),
                Unpooled.wrappedBuffer(place.insertion),
                Unpooled.wrappedBuffer(bytes, place.at, bytes.length - place.at));
    }

    private record Place(int at, byte[] insertion) {}

    private static @Nullable Place place(byte[] bytes) throws IOException {
        try (JsonParser json = JSON.createParser(bytes)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                return null;
            }
            Place place = new Place((int) json.currentLocation().getByteOffset(), OPTIONS);
            boolean streams = false;
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                JsonToken value = json.nextToken();
                if (name.equals("stream")) {
                    streams = value == JsonToken.VALUE_TRUE;
                } else if (name.equals("stream_options")) {
                    place = value == JsonToken.START_OBJECT ? placeWithin(json) : null;
                    if (place == null) {
                        return null;
                    }
                } else {
                    json.skipChildren();
                }
            }
            return streams && json.nextToken() == null ? place : null;
        }
    }

    /** Within the options; null when they say already whether usage is wanted. */
    private static @Nullable Place placeWithin(JsonParser json) throws IOException {
        int at = (int) json.currentLocation().getByteOffset();
        boolean isEmpty = true;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            isEmpty = false;
            if (json.currentName().equals("include_usage")) {
                return null;
            }
            json.nextToken();
            json.skipChildren();
        }
        return new Place(
                at,
                isEmpty
                        ? OPTION
                        : (new String(OPTION, StandardCharsets.US_ASCII) + ",").getBytes(StandardCharsets.US_ASCII));
    }
}
