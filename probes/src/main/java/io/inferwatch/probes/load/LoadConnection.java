package io.inferwatch.probes.load;

import io.inferwatch.probes.proxy.Scratch;
import io.inferwatch.probes.proxy.measure.Ending;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/** One connection to the server, which carries one request after another. All that one read brings has the time at which the read began. */
final class LoadConnection extends ChannelInboundHandlerAdapter {
    private final LoadConnections.Pool pool;
    private final Scratch scratch = Scratch.ofThisLoop();
    private final Scratch.Reader reader = this::read;
    private @Nullable ChannelHandlerContext context;
    private @Nullable Exchange exchange;
    private long readAtNanos;
    private long idleSinceNanos;
    private boolean isReading;
    private boolean isAnswering;
    private boolean isKept;
    private boolean isWhole;

    LoadConnection(LoadConnections.Pool pool) {
        this.pool = pool;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    /** Whether the server is unlikely to close it in this very moment. */
    boolean isFresh(long limitNanos) {
        ChannelHandlerContext present = context;
        return present != null && present.channel().isActive() && System.nanoTime() - idleSinceNanos < limitNanos;
    }

    void send(Exchange next) {
        ChannelHandlerContext present = context;
        if (present == null || next.isEnded()) {
            close();
            return;
        }
        exchange = next;
        isAnswering = false;
        isWhole = false;
        var unused = present.writeAndFlush(next.connected(this), present.voidPromise());
    }

    /** The exchange is over for this connection. */
    void left(Exchange past, boolean isGood) {
        if (exchange != past) {
            return;
        }
        exchange = null;
        if (isGood && isKept) {
            idleSinceNanos = System.nanoTime();
            pool.release(this);
        } else {
            close();
        }
    }

    void close() {
        ChannelHandlerContext present = context;
        if (present != null) {
            var unused = present.close();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (!isReading) {
            isReading = true;
            readAtNanos = System.nanoTime();
        }
        Exchange present = exchange;
        if (present == null || !(message instanceof HttpObject object)) {
            ReferenceCountUtil.release(message);
            // An answer that nobody asked for: the connection cannot be trusted.
            close();
            return;
        }
        if (object.decoderResult().isFailure()) {
            ReferenceCountUtil.release(message);
            present.end(Ending.GARBLED);
            return;
        }
        if (object instanceof HttpResponse response) {
            isAnswering = true;
            isKept = HttpUtil.isKeepAlive(response);
            present.measurement()
                    .answerHeaders(
                            response.status().code(),
                            response.headers().get(HttpHeaderNames.CONTENT_TYPE),
                            null,
                            true,
                            readAtNanos);
        }
        if (object instanceof HttpContent content) {
            ByteBuf bytes = content.content();
            if (bytes.isReadable()) {
                scratch.add(bytes, bytes.readerIndex(), bytes.readableBytes(), reader);
            }
            isWhole = object instanceof LastHttpContent;
            content.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        scratch.drain();
        isReading = false;
        Exchange present = exchange;
        if (present != null && isWhole) {
            present.end(Ending.COMPLETE);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        scratch.drain();
        pool.remove(this);
        Exchange present = exchange;
        if (present != null) {
            present.end(isAnswering ? Ending.CUT : Ending.RESET);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        var unused = ctx.close();
    }

    private void read(byte[] bytes, int length) {
        Exchange present = exchange;
        if (present != null) {
            present.measurement().answerBody(bytes, 0, length, readAtNanos);
        }
    }
}
