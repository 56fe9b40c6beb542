package io.inferwatch.probes.otlp;

import io.inferwatch.probes.admin.ListenAddress;
import io.inferwatch.probes.tls.ServerTls;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.HttpContentDecompressor;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.timeout.ReadTimeoutHandler;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLException;

/**
 * Listens for OTLP: HTTP/1.1 on one port, gRPC on the other, both by TLS or both in plain text. A post is at most {@value #MAX_POST_BYTES} bytes, inflated; at
 * most {@value #MAX_CONNECTIONS} connections are open at once, further ones are closed at once, and one that says nothing for five minutes is
 * closed.
 */
final class OtlpServer implements AutoCloseable {
    static final int MAX_POST_BYTES = 16 << 20;
    static final int MAX_CONNECTIONS = 256;

    private static final int THREADS = 2;
    private static final int MAX_STREAMS = 32;
    private static final int WINDOW_BYTES = 1 << 20;
    private static final int READ_TIMEOUT_SECONDS = 300;

    private final EventLoopGroup threads;
    private final Channel http;
    private final Channel grpc;

    private OtlpServer(EventLoopGroup threads, Channel http, Channel grpc) {
        this.threads = threads;
        this.http = http;
        this.grpc = grpc;
    }

    /**
     * Listens from now on.
     *
     * @throws InvalidSettingsException when it cannot listen at one of the addresses, or a certificate is none
     */
    static OtlpServer start(ListenAddress http, ListenAddress grpc, Optional<ServerTls> tls, OtlpService service) {
        Optional<SslContext> httpTls;
        Optional<SslContext> grpcTls;
        try {
            httpTls = tls.isPresent() ? Optional.of(tls.get().context()) : Optional.empty();
            grpcTls = tls.isPresent() ? Optional.of(tls.get().http2Context()) : Optional.empty();
        } catch (SSLException | IllegalArgumentException e) {
            throw new InvalidSettingsException(
                    "OTLP ports", List.of("tls: must be certificates and keys in PEM, found: " + e.getMessage()));
        }
        EventLoopGroup threads = new MultiThreadIoEventLoopGroup(THREADS, NioIoHandler.newFactory());
        ConnectionLimit limit = new ConnectionLimit(service);
        List<String> problems = new ArrayList<>();
        Channel httpChannel = bind(threads, service, limit, "http-listen", http, httpTls, problems, channel -> {
            http(channel, service);
        });
        Channel grpcChannel = bind(threads, service, limit, "grpc-listen", grpc, grpcTls, problems, channel -> {
            grpc(channel, service);
        });
        if (!problems.isEmpty()) {
            var unused = threads.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            throw new InvalidSettingsException("OTLP ports", problems);
        }
        return new OtlpServer(threads, httpChannel, grpcChannel);
    }

    int httpPort() {
        return ((InetSocketAddress) http.localAddress()).getPort();
    }

    int grpcPort() {
        return ((InetSocketAddress) grpc.localAddress()).getPort();
    }

    /** Takes nothing new, answers what is under way. A second call does nothing. */
    @Override
    public void close() {
        if (threads.isShuttingDown()) {
            return;
        }
        http.close().syncUninterruptibly();
        grpc.close().syncUninterruptibly();
        threads.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private interface Pipeline {
        void set(Channel channel);
    }

    private static Channel bind(
            EventLoopGroup threads,
            OtlpService service,
            ConnectionLimit limit,
            String key,
            ListenAddress address,
            Optional<SslContext> tls,
            List<String> problems,
            Pipeline pipeline) {
        ChannelFuture bound = new ServerBootstrap()
                .group(threads)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(limit, new ReadTimeoutHandler(READ_TIMEOUT_SECONDS));
                        tls.ifPresent(context -> channel.pipeline().addLast(context.newHandler(channel.alloc())));
                        pipeline.set(channel);
                        channel.pipeline().addLast(new BrokenConnection(service));
                    }
                })
                .bind(address.socketAddress())
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            problems.add(key + ": must be an address that is free on this host, found " + address + " ("
                    + bound.cause().getMessage() + ")");
        }
        return bound.channel();
    }

    private static void http(Channel channel, OtlpService service) {
        channel.pipeline()
                .addLast(
                        new HttpServerCodec(),
                        new HttpContentDecompressor(0),
                        new HttpObjectAggregator(MAX_POST_BYTES) {
                            @Override
                            protected void handleOversizedMessage(ChannelHandlerContext context, HttpMessage message)
                                    throws Exception {
                                service.count(PostResult.TOO_LARGE);
                                super.handleOversizedMessage(context, message);
                            }
                        },
                        new HttpExport(service));
    }

    private static void grpc(Channel channel, OtlpService service) {
        ChannelInitializer<Channel> stream = new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel child) {
                child.pipeline()
                        .addLast(
                                new Http2StreamFrameToHttpObjectCodec(true),
                                new HttpObjectAggregator(MAX_POST_BYTES) {
                                    @Override
                                    protected void handleOversizedMessage(
                                            ChannelHandlerContext context, HttpMessage message) {
                                        service.count(PostResult.TOO_LARGE);
                                        var unused = context.writeAndFlush(GrpcExport.refusal(
                                                        PostResult.TOO_LARGE,
                                                        "message: must be at most " + MAX_POST_BYTES + " bytes"))
                                                .addListener(ChannelFutureListener.CLOSE);
                                    }
                                },
                                new GrpcExport(service, MAX_POST_BYTES));
            }
        };
        channel.pipeline()
                .addLast(
                        Http2FrameCodecBuilder.forServer()
                                .initialSettings(Http2Settings.defaultSettings()
                                        .maxConcurrentStreams(MAX_STREAMS)
                                        .initialWindowSize(WINDOW_BYTES))
                                .build(),
                        new Http2MultiplexHandler(stream));
    }

    /** Closes connections beyond the limit before they can send anything. */
    @ChannelHandler.Sharable
    private static final class ConnectionLimit extends ChannelInboundHandlerAdapter {
        private final OtlpService service;
        private final AtomicInteger open = new AtomicInteger();

        ConnectionLimit(OtlpService service) {
            this.service = service;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) throws Exception {
            if (open.incrementAndGet() > MAX_CONNECTIONS) {
                service.count(PostResult.TOO_MANY_CONNECTIONS);
                var unused = context.close();
            } else {
                super.channelActive(context);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) throws Exception {
            open.decrementAndGet();
            super.channelInactive(context);
        }
    }

    /** Ends a connection that does not speak what its port takes, breaks off, or is silent for too long. */
    private static final class BrokenConnection extends ChannelInboundHandlerAdapter {
        private final OtlpService service;

        BrokenConnection(OtlpService service) {
            this.service = service;
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
            if (event instanceof SslHandshakeCompletionEvent handshake && !handshake.isSuccess()) {
                service.count(PostResult.TLS_FAILED);
            }
            super.userEventTriggered(context, event);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            boolean isUnreadable = cause instanceof DecoderException || cause instanceof Http2Exception;
            if (isUnreadable && !(cause.getCause() instanceof SSLException)) {
                service.count(PostResult.MALFORMED);
            }
            var unused = context.close();
        }
    }
}
