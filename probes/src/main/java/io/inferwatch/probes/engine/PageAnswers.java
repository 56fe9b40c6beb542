package io.inferwatch.probes.engine;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import org.jspecify.annotations.Nullable;

/** Puts the answers of one connection together, up to the limit. */
final class PageAnswers extends SimpleChannelInboundHandler<HttpObject> {
    private static final int FIRST_BYTES = 16 * 1024;

    private final Listener listener;
    private final int maxBytes;
    private final boolean overTls;
    private @Nullable HttpResponse head;
    private @Nullable ByteBuf body;
    private int bodyBytes = FIRST_BYTES;

    /** Is told what happens, on the loop. */
    interface Listener {
        /** Requests may be sent. */
        void connected(Channel of);

        /**
         * An answer is whole.
         *
         * @param body there during the call only
         * @param isReusable whether another may follow
         */
        void answered(Channel by, HttpResponse head, ByteBuf body, boolean isReusable);

        /**
         * No more comes from here.
         *
         * @param hasBegun whether an answer had begun
         */
        void failed(Channel by, ScrapeFailedException failure, boolean hasBegun);
    }

    PageAnswers(Listener listener, int maxBytes, boolean overTls) {
        this.listener = listener;
        this.maxBytes = maxBytes;
        this.overTls = overTls;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        if (!overTls) {
            listener.connected(ctx.channel());
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslHandshakeCompletionEvent handshake) {
            if (handshake.isSuccess()) {
                listener.connected(ctx.channel());
            } else {
                fail(ctx, broken(handshake.cause()));
            }
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, HttpObject message) {
        if (message.decoderResult().isFailure()) {
            fail(ctx, broken(message.decoderResult().cause()));
            return;
        }
        if (message instanceof HttpResponse response
                && response.status().codeClass() != HttpStatusClass.INFORMATIONAL) {
            head = response;
            // As long as the one before, which pages mostly are.
            body = ctx.alloc().heapBuffer(Math.min(bodyBytes, maxBytes), maxBytes);
        }
        HttpResponse present = head;
        ByteBuf bytes = body;
        if (present == null || bytes == null || !(message instanceof HttpContent content)) {
            return;
        }
        if (content.content().readableBytes() > maxBytes - bytes.readableBytes()) {
            fail(ctx, PageBody.tooLarge(maxBytes));
            return;
        }
        bytes.writeBytes(content.content());
        if (content instanceof LastHttpContent) {
            bodyBytes = Math.max(FIRST_BYTES, bytes.readableBytes());
            head = null;
            body = null;
            try {
                listener.answered(ctx.channel(), present, bytes, HttpUtil.isKeepAlive(present));
            } finally {
                bytes.release();
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        fail(ctx, new ScrapeFailedException(ScrapeFailure.BROKEN, "the connection ended before the answer"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        fail(ctx, broken(cause));
    }

    private void fail(ChannelHandlerContext ctx, ScrapeFailedException failure) {
        boolean hasBegun = head != null;
        head = null;
        ByteBuf bytes = body;
        if (bytes != null) {
            body = null;
            bytes.release();
        }
        listener.failed(ctx.channel(), failure, hasBegun);
        var unused = ctx.close();
    }

    private static ScrapeFailedException broken(Throwable cause) {
        return new ScrapeFailedException(ScrapeFailure.BROKEN, message(cause));
    }

    /** The innermost cause, which says most. */
    static String message(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getClass().getSimpleName() + (cause.getMessage() == null ? "" : ": " + cause.getMessage());
    }
}
