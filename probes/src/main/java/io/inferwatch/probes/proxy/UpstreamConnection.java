package io.inferwatch.probes.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/** One connection to the upstream, which serves one relay after another. */
final class UpstreamConnection extends ChannelInboundHandlerAdapter {
    /** Who made the connection and waits for it. */
    static final AttributeKey<UpstreamPool.Waiter> WAITER = AttributeKey.valueOf(UpstreamConnection.class, "waiter");

    private final UpstreamPool pool;
    private @Nullable ChannelHandlerContext context;
    private @Nullable Relay relay;
    private long idleSinceNanos;

    UpstreamConnection(UpstreamPool pool) {
        this.pool = pool;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        if (ctx.pipeline().get(SslHandler.class) == null) {
            ready(ctx);
        }
        ctx.fireChannelActive();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslHandshakeCompletionEvent handshake) {
            UpstreamPool.Waiter waiter = ctx.channel().attr(WAITER).get();
            if (handshake.isSuccess()) {
                ready(ctx);
            } else if (waiter != null) {
                ctx.channel().attr(WAITER).set(null);
                waiter.failed(handshake.cause());
            }
        }
        ctx.fireUserEventTriggered(event);
    }

    private void ready(ChannelHandlerContext ctx) {
        UpstreamPool.Waiter waiter = ctx.channel().attr(WAITER).getAndSet(null);
        if (waiter != null) {
            waiter.connected(this);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        Relay present = relay;
        if (present == null || !(message instanceof HttpObject object)) {
            // An answer that nobody asked for: the connection cannot be trusted.
            ReferenceCountUtil.release(message);
            var unused = ctx.close();
            return;
        }
        if (object.decoderResult().isFailure()) {
            ReferenceCountUtil.release(message);
            answerGarbled();
            return;
        }
        if (object instanceof HttpResponse response) {
            present.answer(response);
        }
        if (object instanceof HttpContent content) {
            present.answerContent(content);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        readComplete();
    }

    void readComplete() {
        Relay present = relay;
        if (present != null) {
            present.answerPassedOn();
        }
    }

    /** Whether the headers of an answer come next. */
    boolean awaitsAnswer() {
        Relay present = relay;
        return present != null && present.awaitsAnswer();
    }

    /** Whether the body that comes next may go on in the chunks that the upstream made. */
    boolean takesChunks() {
        Relay present = relay;
        return present != null && present.takesChunks();
    }

    /** Data within the chunks that come next. */
    void answerData(ByteBuf bytes, int offset, int length) {
        Relay present = relay;
        if (present != null) {
            present.answerData(bytes, offset, length);
        }
    }

    /** Bytes of chunks. */
    void answerChunks(ByteBuf bytes) {
        Relay present = relay;
        if (present != null) {
            present.answerChunks(bytes);
        } else {
            bytes.release();
        }
    }

    void answerGarbled() {
        Relay present = relay;
        if (present != null) {
            present.upstreamGarbled();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        Relay present = relay;
        if (present != null) {
            present.upstreamTakes(ctx.channel().isWritable());
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        Relay present = relay;
        if (present != null) {
            present.upstreamClosed();
        } else {
            pool.remove(this);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        var unused = ctx.close();
    }

    /** From now on it serves this relay. */
    void serve(Relay next) {
        relay = next;
    }

    /** Goes back to the pool. */
    void release() {
        relay = null;
        read(true);
        pool.release(this);
    }

    void write(Object message) {
        ChannelHandlerContext ctx = context();
        var unused = ctx.write(message, ctx.voidPromise());
    }

    void flush() {
        context().flush();
    }

    /** Whether to read on: not while the client does not take what there is. */
    void read(boolean on) {
        context().channel().config().setAutoRead(on);
    }

    boolean reads() {
        return context().channel().config().isAutoRead();
    }

    boolean isWritable() {
        return context().channel().isWritable();
    }

    boolean isUsable() {
        return context().channel().isActive();
    }

    void close() {
        relay = null;
        var unused = context().close();
    }

    long idleSinceNanos() {
        return idleSinceNanos;
    }

    void idleSinceNanos(long atNanos) {
        idleSinceNanos = atNanos;
    }

    private ChannelHandlerContext context() {
        ChannelHandlerContext present = context;
        if (present == null) {
            throw new IllegalStateException("a connection is used only within its pipeline");
        }
        return present;
    }
}
