package io.inferwatch.probes.engine;

import io.inferwatch.probes.engine.exposition.IncompletePageException;
import io.inferwatch.probes.engine.exposition.PageFormat;
import io.inferwatch.probes.engine.exposition.ProtobufPage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/**
 * A page in text, inflated and made of protobuf where it came so.
 *
 * @param text holds it
 * @param from where it begins there
 * @param to the first byte behind it
 * @param isUnexpected whether its content type says that it is something else
 */
record PageBody(byte[] text, int from, int to, boolean openMetrics, boolean isUnexpected) {
    /**
     * Takes the page out of an answer.
     *
     * @param body in one array, which the page may go on using
     * @param maxBytes of the text, too
     */
    static PageBody of(HttpResponse head, ByteBuf body, int maxBytes) throws ScrapeFailedException {
        if (!head.status().equals(HttpResponseStatus.OK)) {
            throw new ScrapeFailedException(
                    ScrapeFailure.STATUS, "status " + head.status().code());
        }
        byte[] bytes = body.array();
        int from = body.arrayOffset() + body.readerIndex();
        int to = from + body.readableBytes();
        String encoding = header(head, HttpHeaderNames.CONTENT_ENCODING).toLowerCase(Locale.ROOT);
        switch (encoding) {
            case "identity", "" -> {}
            case "gzip", "x-gzip" -> {
                bytes = inflated(body, maxBytes);
                from = 0;
                to = bytes.length;
            }
            default -> throw new ScrapeFailedException(ScrapeFailure.ENCODING, "content-encoding " + encoding);
        }
        Optional<PageFormat> format = PageFormat.of(header(head, HttpHeaderNames.CONTENT_TYPE));
        if (format.isPresent() && format.get() == PageFormat.PROTOBUF) {
            try {
                byte[] text = ProtobufPage.toText(bytes, from, to, maxBytes);
                return new PageBody(text, 0, text.length, false, false);
            } catch (IncompletePageException e) {
                throw new ScrapeFailedException(ScrapeFailure.INCOMPLETE, String.valueOf(e.getMessage()));
            }
        }
        boolean isOpenMetrics = format.isPresent() && format.get() == PageFormat.OPEN_METRICS;
        return new PageBody(bytes, from, to, isOpenMetrics, format.isEmpty());
    }

    static ScrapeFailedException tooLarge(int maxBytes) {
        return new ScrapeFailedException(ScrapeFailure.TOO_LARGE, "more than " + maxBytes / 1024 + " KiB");
    }

    private static String header(HttpResponse head, CharSequence name) {
        return Objects.requireNonNullElse(head.headers().get(name), "");
    }

    private static byte[] inflated(ByteBuf body, int maxBytes) throws ScrapeFailedException {
        try (GZIPInputStream in = new GZIPInputStream(new ByteBufInputStream(body))) {
            byte[] inflated = in.readNBytes(maxBytes + 1);
            if (inflated.length > maxBytes) {
                throw tooLarge(maxBytes);
            }
            return inflated;
        } catch (IOException e) {
            throw new ScrapeFailedException(ScrapeFailure.ENCODING, "not gzip: " + e.getMessage());
        }
    }
}
