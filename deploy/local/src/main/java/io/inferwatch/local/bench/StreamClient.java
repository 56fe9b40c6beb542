package io.inferwatch.local.bench;

import io.inferwatch.probes.load.NullServer;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/** Asks for streams and notes when their events came. A stream that breaks off fails its future. */
final class StreamClient {
    /**
     * One stream as the client saw it.
     *
     * @param ttftNanos from the request's first byte to the first event
     * @param transitNanos of each event, from the upstream's write to the client's read
     */
    record Seen(long ttftNanos, long[] transitNanos) {}

    private static final byte[] END = "\r\n0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final String BODY =
            "{\"model\":\"null\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"Say some words.\"}]}";

    private final EventLoopGroup loops;

    StreamClient(EventLoopGroup loops) {
        this.loops = loops;
    }

    /** One stream on a connection of its own, which stays open until the stream has ended. */
    CompletableFuture<Seen> stream(int port, int events, int micros) {
        CompletableFuture<Seen> seen = new CompletableFuture<>();
        Connection connection = connect(port);
        var unused = connection.ask(events, micros).whenComplete((result, failure) -> {
            connection.close();
            if (failure == null) {
                seen.complete(result);
            } else {
                seen.completeExceptionally(failure);
            }
        });
        return seen;
    }

    /** A connection for one stream after another. */
    Connection connect(int port) {
        Connection connection = new Connection();
        var unused = new Bootstrap()
                .group(loops)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 20_000)
                .handler(connection)
                .connect(InetAddress.getLoopbackAddress(), port)
                .addListener(future -> {
                    if (!future.isSuccess()) {
                        connection.fail(future.cause());
                    }
                });
        return connection;
    }

    static final class Connection extends ChannelInboundHandlerAdapter {
        private final CompletableFuture<ChannelHandlerContext> active = new CompletableFuture<>();
        private CompletableFuture<Seen> seen = new CompletableFuture<>();
        private long[] transitNanos = {};
        private int events;
        private long askedNanos;
        private long ttftNanos;
        private int stampMatched;
        private int digits;
        private long stamp;
        private int endMatched;

        CompletableFuture<Seen> ask(int count, int micros) {
            CompletableFuture<Seen> result = new CompletableFuture<>();
            var unused = active.whenComplete((ctx, failure) -> {
                if (failure != null) {
                    result.completeExceptionally(failure);
                    return;
                }
                ctx.executor().execute(() -> {
                    if (!ctx.channel().isActive()) {
                        result.completeExceptionally(new IllegalStateException("the connection was closed"));
                        return;
                    }
                    seen = result;
                    transitNanos = new long[count];
                    events = 0;
                    String request = "POST /v1/chat/completions?events=" + count + "&micros=" + micros
                            + " HTTP/1.1\r\nHost: null\r\nContent-Type: application/json\r\nContent-Length: "
                            + BODY.length()
                            + "\r\n\r\n" + BODY;
                    askedNanos = System.nanoTime();
                    var unusedWrite = ctx.writeAndFlush(
                            Unpooled.copiedBuffer(request, StandardCharsets.US_ASCII), ctx.voidPromise());
                });
            });
            return result;
        }

        void close() {
            var unused = active.thenAccept(ctx -> {
                var unusedClose = ctx.close();
            });
        }

        private void fail(Throwable cause) {
            active.completeExceptionally(cause);
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            active.complete(ctx);
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            long nowNanos = System.nanoTime();
            ByteBuf bytes = (ByteBuf) message;
            while (bytes.isReadable()) {
                take(bytes.readByte(), nowNanos);
            }
            bytes.release();
        }

        private void take(byte b, long nowNanos) {
            if (digits > 0) {
                stamp = 10 * stamp + b - '0';
                digits--;
                if (digits == 0) {
                    if (events == 0) {
                        ttftNanos = nowNanos - askedNanos;
                    }
                    transitNanos[events++] = nowNanos - stamp;
                }
                return;
            }
            stampMatched = b == NullServer.STAMP[stampMatched] ? stampMatched + 1 : b == NullServer.STAMP[0] ? 1 : 0;
            if (stampMatched == NullServer.STAMP.length) {
                stampMatched = 0;
                stamp = 0;
                digits = NullServer.STAMP_DIGITS;
            }
            endMatched = b == END[endMatched] ? endMatched + 1 : b == END[0] ? 1 : 0;
            if (endMatched == END.length) {
                endMatched = 0;
                if (events == transitNanos.length) {
                    seen.complete(new Seen(ttftNanos, transitNanos));
                } else {
                    seen.completeExceptionally(
                            new IllegalStateException(events + " events of " + transitNanos.length + " came"));
                }
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            seen.completeExceptionally(new IllegalStateException("broke off after " + events + " events"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            var unused = ctx.close();
        }
    }
}
