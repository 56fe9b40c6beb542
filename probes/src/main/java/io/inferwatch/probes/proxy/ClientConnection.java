package io.inferwatch.probes.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection, or one stream of HTTP/2: one relay after another. Requests that a client sends before its last answer is over wait their turn, and nothing more is
 * read from it meanwhile. Confined to its event loop.
 */
final class ClientConnection extends ChannelInboundHandlerAdapter {
    private final ProxyServer server;
    private final ArrayDeque<HttpObject> waiting = new ArrayDeque<>();
    private @Nullable ChannelHandlerContext context;
    private @Nullable Relay relay;

    ClientConnection(ProxyServer server) {
        this.server = server;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (!(message instanceof HttpObject object)) {
            ReferenceCountUtil.release(message);
            return;
        }
        Relay present = relay;
        if (object.decoderResult().isFailure()) {
            ReferenceCountUtil.release(message);
            if (present == null) {
                refuse(HttpResponseStatus.BAD_REQUEST, "not a request that can be read", true);
            } else {
                var unused = ctx.close();
            }
        } else if (!waiting.isEmpty() || (present != null && present.isRequestOver())) {
            waiting.addLast(object);
            read(false);
        } else {
            take(object);
        }
    }

    private void take(HttpObject object) {
        if (object instanceof HttpRequest request) {
            Relay next = new Relay(this, server, request);
            relay = next;
            next.begin();
        }
        Relay present = relay;
        if (object instanceof HttpContent content) {
            if (present == null) {
                // The rest of a request that was answered before its end.
                content.release();
            } else {
                present.requestContent(content);
            }
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        Relay present = relay;
        if (present != null) {
            present.requestPassedOn();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        Relay present = relay;
        if (present != null) {
            present.clientTakes(ctx.channel().isWritable());
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        waiting.forEach(ReferenceCountUtil::release);
        waiting.clear();
        Relay present = relay;
        if (present != null) {
            relay = null;
            present.clientClosed();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        var unused = ctx.close();
    }

    /** The present relay is over. */
    void over(boolean isLast) {
        relay = null;
        if (isStream()) {
            // It is closed by its own end.
            return;
        }
        if (isLast) {
            closeWhenFlushed();
            return;
        }
        while (!waiting.isEmpty() && (relay == null || !relay.isRequestOver())) {
            take(waiting.removeFirst());
        }
        Relay next = relay;
        if (next == null || !next.isRequestOver()) {
            read(true);
        }
        if (next != null) {
            next.requestPassedOn();
        }
    }

    /** Answers in the upstream's place. */
    void refuse(HttpResponseStatus status, String reason, boolean isLast) {
        DefaultFullHttpResponse answer = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, status, Unpooled.copiedBuffer(reason + "\n", StandardCharsets.UTF_8));
        answer.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8")
                .set(HttpHeaderNames.CONTENT_LENGTH, answer.content().readableBytes());
        if (isLast) {
            answer.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        }
        ChannelFuture written = context().writeAndFlush(answer);
        if (isLast && !isStream()) {
            var unused = written.addListener(ChannelFutureListener.CLOSE);
        }
    }

    void write(Object message) {
        ChannelHandlerContext ctx = context();
        var unused = ctx.write(message, ctx.voidPromise());
    }

    /** Whether what it writes may be bytes that need no coding. */
    boolean takesBytes() {
        return context().pipeline().get(HttpServerCodec.class) != null;
    }

    /** Writes bytes of a body that are coded already, around the codec, which is in the middle of that body. */
    void writeBytes(ByteBuf bytes) {
        ChannelHandlerContext codec = context().pipeline().context(HttpServerCodec.class);
        var unused = codec.write(bytes, codec.voidPromise());
    }

    void flush() {
        context().flush();
    }

    /** Whether the connection has taken all that was written to it. */
    boolean isDrained() {
        ChannelOutboundBuffer buffer = connection().unsafe().outboundBuffer();
        return buffer == null || buffer.isEmpty();
    }

    /** Runs the task once all that was written has been taken. */
    void whenDrained(Runnable task) {
        var unused = connection().writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(future -> {
            if (future.isSuccess()) {
                task.run();
            }
        });
    }

    /** Whether to read on: not while the upstream does not take what there is. */
    void read(boolean on) {
        context().channel().config().setAutoRead(on);
    }

    boolean isWritable() {
        return context().channel().isWritable();
    }

    /** Breaks the connection off. */
    void close() {
        relay = null;
        var unused = context().close();
    }

    ChannelHandlerContext context() {
        ChannelHandlerContext present = context;
        if (present == null) {
            throw new IllegalStateException("a connection is used only within its pipeline");
        }
        return present;
    }

    /** That of the socket; streams of HTTP/2 share it. */
    private Channel connection() {
        Channel channel = context().channel();
        return channel instanceof Http2StreamChannel stream ? stream.parent() : channel;
    }

    private boolean isStream() {
        return context().channel() instanceof Http2StreamChannel;
    }

    private void closeWhenFlushed() {
        var unused = context().writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }
}
