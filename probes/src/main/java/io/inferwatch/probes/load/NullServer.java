package io.inferwatch.probes.load;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * A server that does nothing but stream: it answers a request for {@code /v1/chat/completions?events=N&micros=M} with N events, the first at once, the others M
 * microseconds apart, each with the reading of {@link System#nanoTime} at which it was written.
 */
public final class NullServer implements AutoCloseable {
    /** Stands before the 19 digits of a time. */
    public static final byte[] STAMP = "\"t\":\"".getBytes(StandardCharsets.US_ASCII);

    /** How many digits there are. */
    public static final int STAMP_DIGITS = 19;

    private static final String BEFORE_STAMP =
            "data: {\"id\":\"chatcmpl-0123456789abcdef\",\"object\":\"chat.completion.chunk\",\"created\":1790000000,\"model\":\"null\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word\"},\"logprobs\":null,\"finish_reason\":null}],";
    private static final String AFTER_STAMP = "\"}\n\n";
    private static final byte[] HEAD =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII);
    private static final byte[] END =
            chunk("data: [DONE]\n\n").concat("0\r\n\r\n").getBytes(StandardCharsets.US_ASCII);

    private static final int NO_HEAD = -1;

    private final Channel listening;

    /** Listens on a free port of loopback; the loops must be of NIO. */
    public NullServer(EventLoopGroup loops) {
        listening = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, 8192)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new Answering());
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .syncUninterruptibly()
                .channel();
    }

    /** Where it listens. */
    public int port() {
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    @Override
    public void close() {
        listening.close().syncUninterruptibly();
    }

    private static String chunk(String text) {
        return Integer.toHexString(text.length()) + "\r\n" + text + "\r\n";
    }

    private static byte[] event() {
        String stamp = Long.toString(System.nanoTime());
        String text = BEFORE_STAMP
                + new String(STAMP, StandardCharsets.US_ASCII)
                + "0".repeat(STAMP_DIGITS - stamp.length())
                + stamp
                + AFTER_STAMP;
        return chunk(text).getBytes(StandardCharsets.US_ASCII);
    }

    private static final class Answering extends ChannelInboundHandlerAdapter {
        private final StringBuilder head = new StringBuilder();
        private int bodyBytesLeft = NO_HEAD;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            while (bytes.isReadable()) {
                if (bodyBytesLeft == NO_HEAD) {
                    readHead(bytes);
                }
                if (bodyBytesLeft > 0) {
                    int skipped = Math.min(bodyBytesLeft, bytes.readableBytes());
                    bytes.skipBytes(skipped);
                    bodyBytesLeft -= skipped;
                }
                if (bodyBytesLeft == 0) {
                    bodyBytesLeft = NO_HEAD;
                    answer(ctx);
                }
            }
            bytes.release();
        }

        /** Up to the empty line, of which nothing but the two lengths of the body and of the answer is heeded. */
        private void readHead(ByteBuf bytes) {
            while (bytes.isReadable()) {
                head.append((char) bytes.readByte());
                int length = head.length();
                if (length >= 4 && head.charAt(length - 1) == '\n' && head.indexOf("\r\n\r\n", length - 4) >= 0) {
                    bodyBytesLeft = Integer.parseInt(header("content-length: "));
                    return;
                }
            }
        }

        private void answer(ChannelHandlerContext ctx) {
            int events = parameter("events=");
            int micros = parameter("micros=");
            head.setLength(0);
            var unused = ctx.write(Unpooled.wrappedBuffer(HEAD), ctx.voidPromise());
            send(ctx, events, micros, System.nanoTime());
        }

        /** Keeps to the times of the first event, so that a late one makes no other late. */
        private static void send(ChannelHandlerContext ctx, int left, int micros, long dueNanos) {
            if (left == 0) {
                var unused = ctx.writeAndFlush(Unpooled.wrappedBuffer(END), ctx.voidPromise());
                return;
            }
            var unused = ctx.writeAndFlush(Unpooled.wrappedBuffer(event()), ctx.voidPromise());
            long nextNanos = dueNanos + TimeUnit.MICROSECONDS.toNanos(micros);
            var unusedNext = ctx.executor()
                    .schedule(
                            () -> send(ctx, left - 1, micros, nextNanos),
                            Math.max(0, nextNanos - System.nanoTime()),
                            TimeUnit.NANOSECONDS);
        }

        private String header(String name) {
            String lower = head.toString().toLowerCase(Locale.ROOT);
            int at = lower.indexOf(name) + name.length();
            return lower.substring(at, lower.indexOf('\r', at));
        }

        private int parameter(String name) {
            int at = head.indexOf(name) + name.length();
            int end = at;
            while (Character.isDigit(head.charAt(end))) {
                end++;
            }
            return Integer.parseInt(head.substring(at, end));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            var unused = ctx.close();
        }
    }
}
