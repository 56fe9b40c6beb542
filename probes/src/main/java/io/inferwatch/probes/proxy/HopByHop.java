package io.inferwatch.probes.proxy;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.util.AsciiString;
import java.util.List;

/** The headers that belong to one connection and are not passed on: RFC 9110, 7.6.1. All others pass as they came. */
final class HopByHop {
    private static final List<AsciiString> NAMES = List.of(
            HttpHeaderNames.CONNECTION,
            AsciiString.cached("keep-alive"),
            AsciiString.cached("proxy-connection"),
            HttpHeaderNames.TE,
            HttpHeaderNames.UPGRADE);

    private HopByHop() {}

    /** Takes them out; a body stays framed as it is. */
    static void remove(HttpMessage message) {
        HttpHeaders headers = message.headers();
        List<String> connection = headers.getAll(HttpHeaderNames.CONNECTION);
        for (String line : connection) {
            for (String name : line.split(",", -1)) {
                String named = name.trim();
                boolean isFraming = HttpHeaderNames.CONTENT_LENGTH.contentEqualsIgnoreCase(named)
                        || HttpHeaderNames.TRANSFER_ENCODING.contentEqualsIgnoreCase(named);
                if (!named.isEmpty() && !isFraming) {
                    headers.remove(named);
                }
            }
        }
        NAMES.forEach(headers::remove);
    }
}
