package io.inferwatch.probes.pods;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.codec.http2.HttpConversionUtil.ExtensionHeaderNames;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** {@code v1.PodResourcesLister/List} by gRPC over a Unix socket: a connection of its own for each call, one message out and one in. */
final class PodResourcesCall implements AutoCloseable {
    private static final String STATUS = "grpc-status";
    private static final String METHOD = "/v1.PodResourcesLister/List";
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final int MAX_BYTES = 16 << 20;
    private static final int PREFIX_BYTES = 5;

    private final Path socket;
    private final EventLoopGroup threads = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("inferwatch-kubelet", true), NioIoHandler.newFactory());

    PodResourcesCall(Path socket) {
        this.socket = socket;
    }

    /** The bytes of the answer's message. */
    byte[] list() throws PodResourcesException, InterruptedException {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        Channel connection = new Bootstrap()
                .group(threads)
                .channel(NioDomainSocketChannel.class)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(
                                        Http2FrameCodecBuilder.forClient().build(),
                                        new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()));
                    }
                })
                .connect(UnixDomainSocketAddress.of(socket))
                .addListener((ChannelFuture connected) -> {
                    if (connected.isSuccess()) {
                        ask(connected.channel(), answer);
                    } else {
                        answer.completeExceptionally(connected.cause());
                    }
                })
                .channel();
        var unused = connection
                .closeFuture()
                .addListener(closed -> answer.completeExceptionally(
                        new PodResourcesException("the connection ended before the answer")));
        try {
            return answer.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof PodResourcesException known
                    ? known
                    : new PodResourcesException(String.valueOf(e.getCause()));
        } catch (TimeoutException e) {
            throw new PodResourcesException("no answer within " + TIMEOUT.toSeconds() + " s");
        } finally {
            var unusedClose = connection.close();
        }
    }

    private static void ask(Channel connection, CompletableFuture<byte[]> answer) {
        ChannelInitializer<Channel> handlers = new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel stream) {
                stream.pipeline()
                        .addLast(
                                new Http2StreamFrameToHttpObjectCodec(false),
                                new HttpObjectAggregator(MAX_BYTES),
                                new Answer(answer));
            }
        };
        var unused = new Http2StreamChannelBootstrap(connection)
                .handler(handlers)
                .open()
                .addListener((Future<Http2StreamChannel> opened) -> {
                    if (opened.isSuccess()) {
                        var unusedWrite = opened.getNow().writeAndFlush(request());
                    } else {
                        answer.completeExceptionally(opened.cause());
                    }
                });
    }

    /** The question has no fields: a message of no bytes, which is not compressed. */
    private static FullHttpRequest request() {
        FullHttpRequest request = new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1, HttpMethod.POST, METHOD, Unpooled.wrappedBuffer(new byte[PREFIX_BYTES]));
        request.headers()
                .set(HttpHeaderNames.HOST, "localhost")
                .set(ExtensionHeaderNames.SCHEME.text(), "http")
                .set(HttpHeaderNames.TE, "trailers")
                .set(HttpHeaderNames.CONTENT_TYPE, "application/grpc");
        return request;
    }

    @Override
    public void close() {
        var unused = threads.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    private static final class Answer extends SimpleChannelInboundHandler<FullHttpResponse> {
        private final CompletableFuture<byte[]> answer;

        Answer(CompletableFuture<byte[]> answer) {
            this.answer = answer;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, FullHttpResponse response) {
            try {
                answer.complete(message(response));
            } catch (PodResourcesException e) {
                answer.completeExceptionally(e);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            answer.completeExceptionally(new PodResourcesException("the call ended before the answer"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            answer.completeExceptionally(cause);
        }

        private static byte[] message(FullHttpResponse response) throws PodResourcesException {
            // A refusal has its status in the head and no trailers.
            HttpHeaders last =
                    response.trailingHeaders().contains(STATUS) ? response.trailingHeaders() : response.headers();
            String status = last.get(STATUS);
            if (!response.status().equals(HttpResponseStatus.OK) || !"0".equals(status)) {
                throw new PodResourcesException("HTTP status "
                        + response.status().code() + ", gRPC status " + status + ", " + last.get("grpc-message"));
            }
            ByteBuf body = response.content();
            boolean isOne = body.readableBytes() >= PREFIX_BYTES
                    && body.readByte() == 0
                    && body.readUnsignedInt() == body.readableBytes();
            if (!isOne) {
                throw new PodResourcesException("the answer must be one message that is not compressed");
            }
            return ByteBufUtil.getBytes(body);
        }
    }
}
