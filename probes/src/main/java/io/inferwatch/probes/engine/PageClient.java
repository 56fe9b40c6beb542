package io.inferwatch.probes.engine;

import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Makes connections to targets, all served by one loop, whose thread waits for none of them. Looking names up waits elsewhere. */
final class PageClient implements AutoCloseable {
    /** A page comes in few pieces, as it was read. */
    private static final int CHUNK_BYTES = 256 * 1024;

    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;

    private final ScrapeSettings settings;
    private final EventLoopGroup threads = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("inferwatch-engine", true), NioIoHandler.newFactory());
    private final EventLoop loop = threads.next();
    private final PatientResolver names = new PatientResolver();
    private final Map<TargetTls, SslContext> contexts = new HashMap<>();

    PageClient(ScrapeSettings settings) {
        this.settings = settings;
    }

    /** The loop's thread, on which everything of its connections happens. */
    EventLoop loop() {
        return loop;
    }

    ScrapeSettings settings() {
        return settings;
    }

    /**
     * Begins to connect to a target; on the loop.
     *
     * @throws InvalidSettingsException when its certificates and keys are none
     */
    Channel connect(Target target, PageAnswers.Listener listener) {
        URI url = target.url();
        boolean isTls = "https".equalsIgnoreCase(url.getScheme());
        SslContext context = isTls ? contexts.computeIfAbsent(target.tls(), TargetTls::context) : null;
        int port = url.getPort() >= 0 ? url.getPort() : isTls ? HTTPS_PORT : HTTP_PORT;
        // An address of IPv6 stands in brackets.
        String host = url.getHost().replaceAll("[\\[\\]]", "");
        ChannelFuture connecting = new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .resolver(names)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        settings.timeout().toMillis())
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (context != null) {
                            SslHandler tls = context.newHandler(channel.alloc(), host, port);
                            tls.setHandshakeTimeoutMillis(settings.timeout().toMillis());
                            channel.pipeline().addLast(tls);
                        }
                        channel.pipeline()
                                .addLast(new HttpClientCodec(
                                        new HttpDecoderConfig().setMaxChunkSize(CHUNK_BYTES), false, false))
                                .addLast(new PageAnswers(listener, settings.maxBytes(), isTls));
                    }
                })
                .connect(InetSocketAddress.createUnresolved(host, port));
        Channel made = connecting.channel();
        var unused = connecting.addListener(future -> {
            if (!future.isSuccess()) {
                String why = PageAnswers.message(future.cause());
                listener.failed(made, new ScrapeFailedException(ScrapeFailure.CONNECT, why), false);
            }
        });
        return made;
    }

    @Override
    public void close() {
        var unused = threads.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        names.close();
    }
}
