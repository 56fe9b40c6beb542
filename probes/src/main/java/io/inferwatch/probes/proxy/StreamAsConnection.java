package io.inferwatch.probes.proxy;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.HttpConversionUtil.ExtensionHeaderNames;
import io.netty.util.ReferenceCountUtil;

/**
 * Makes of a stream of HTTP/2 what a connection of HTTP/1.1 is to a relay: a request comes without the codec's own headers and apart from its body, an
 * informational answer does not end the stream, and an answer that is over before its request resets it.
 */
final class StreamAsConnection extends ChannelDuplexHandler {
    private static final HttpVersion HTTP_2 = new HttpVersion("HTTP", 2, 0, true);

    private boolean isRequestOver;
    private boolean isInformational;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        isRequestOver |= message instanceof LastHttpContent;
        if (message instanceof HttpRequest request) {
            for (ExtensionHeaderNames name : ExtensionHeaderNames.values()) {
                request.headers().remove(name.text());
            }
            request.setProtocolVersion(HTTP_2);
        }
        if (message instanceof FullHttpRequest whole) {
            ctx.fireChannelRead(new DefaultHttpRequest(HTTP_2, whole.method(), whole.uri(), whole.headers()));
            ctx.fireChannelRead(new DefaultLastHttpContent(whole.content()));
        } else {
            ctx.fireChannelRead(message);
        }
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (message instanceof HttpResponse answer && answer.status().codeClass() == HttpStatusClass.INFORMATIONAL) {
            isInformational = true;
            var unused = ctx.write(
                    new DefaultFullHttpResponse(
                            answer.protocolVersion(),
                            answer.status(),
                            Unpooled.EMPTY_BUFFER,
                            answer.headers(),
                            EmptyHttpHeaders.INSTANCE),
                    promise);
        } else if (isInformational && message instanceof LastHttpContent) {
            isInformational = false;
            ReferenceCountUtil.release(message);
            promise.trySuccess();
        } else if (message instanceof LastHttpContent) {
            var unused = ctx.write(message, promise.unvoid()).addListener(written -> {
                if (!isRequestOver) {
                    var unusedClose = ctx.close();
                }
            });
        } else {
            var unused = ctx.write(message, promise);
        }
    }
}
