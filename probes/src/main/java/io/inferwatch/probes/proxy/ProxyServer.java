package io.inferwatch.probes.proxy;

import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http2.DefaultHttp2GoAwayFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * A reverse proxy for HTTP/1.1 and HTTP/2 in front of one server, to which it speaks HTTP/1.1. Bytes are passed on with the read that brought them; headers stay as they are but for those of the
 * connection itself. Each request stays on one of a few event loops, and what is in flight for it is bounded by the water marks of its two
 * connections, about 100 KiB together. What a listener is told never changes what is passed on.
 */
final class ProxyServer implements AutoCloseable {
    private static final int MAX_LINE_BYTES = 64 << 10;
    static final int MAX_HEADERS_BYTES = 256 << 10;
    private static final int MAX_PIECE_BYTES = 64 << 10;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private final ProxySettings settings;
    private final Function<HttpRequest, RelayListener> listeners;
    private final Transport transport;
    private final MultiThreadIoEventLoopGroup loops;
    private final Map<EventLoop, UpstreamPool> pools = new ConcurrentHashMap<>();
    private final ChannelGroup clients = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final AtomicInteger openRelays = new AtomicInteger();
    private final @Nullable SslContext upstreamTls;
    private final Channel listening;
    private volatile boolean isDraining;
    private volatile boolean isClosing;

    private ProxyServer(ProxySettings settings, Transport transport, Function<HttpRequest, RelayListener> listeners)
            throws SSLException {
        this.settings = settings;
        this.transport = transport;
        this.listeners = listeners;
        SslContext tls = settings.tls().isPresent() ? settings.tls().get().contextOfBoth() : null;
        this.upstreamTls = settings.isUpstreamTls() ? settings.upstreamTls().context() : null;
        this.loops = new MultiThreadIoEventLoopGroup(
                settings.threads(), new DefaultThreadFactory("inferwatch-proxy"), transport.handlers());
        ChannelFuture bound = new ServerBootstrap()
                .group(loops)
                .channel(transport.listening())
                .option(ChannelOption.SO_BACKLOG, 4096)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, waterMark())
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        clients.add(channel);
                        if (tls != null) {
                            channel.pipeline().addLast(tls.newHandler(channel.alloc()));
                        }
                        channel.pipeline().addLast(new ProtocolChoice(ProxyServer.this));
                    }
                })
                .bind(settings.listen().socketAddress())
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            var unused = loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            throw new InvalidSettingsException(
                    "proxy",
                    List.of("listen: must be an address that is free on this host, found " + settings.listen() + " ("
                            + bound.cause().getMessage() + ")"));
        }
        listening = bound.channel();
    }

    /**
     * Listens from now on.
     *
     * @param listeners a listener for each request; must not wait
     * @throws InvalidSettingsException when nothing can listen there, or a certificate is none
     */
    static ProxyServer start(ProxySettings settings, Function<HttpRequest, RelayListener> listeners) {
        return start(settings, Transport.best(), listeners);
    }

    static ProxyServer start(
            ProxySettings settings, Transport transport, Function<HttpRequest, RelayListener> listeners) {
        try {
            return new ProxyServer(settings, transport, listeners);
        } catch (SSLException | IllegalArgumentException e) {
            throw new InvalidSettingsException(
                    "proxy", List.of("tls: must be certificates and keys in PEM, found: " + e.getMessage()));
        }
    }

    /** The port on which it listens. */
    int port() {
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    /** From now on every answer is the last of its connection, and HTTP/2 is told to go away, so that clients move to another proxy. */
    void drain() {
        isDraining = true;
        for (Channel client : clients) {
            client.eventLoop().execute(() -> {
                if (client.pipeline().get(Http2FrameCodec.class) != null) {
                    // What is on its way already is still taken.
                    var unused = client.writeAndFlush(
                            new DefaultHttp2GoAwayFrame(Http2Error.NO_ERROR).setExtraStreamIds(Integer.MAX_VALUE));
                }
            });
        }
    }

    /** Takes no connection any more; those that it has go on. */
    void stopListening() {
        listening.close().awaitUninterruptibly();
    }

    /** Breaks off what is left. */
    @Override
    public void close() {
        isDraining = true;
        isClosing = true;
        listening.close().awaitUninterruptibly();
        clients.close().awaitUninterruptibly(CLOSE_TIMEOUT.toMillis());
        loops.shutdownGracefully(0, CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .awaitUninterruptibly();
    }

    ProxySettings settings() {
        return settings;
    }

    /** Requests that are being relayed, measured or not. */
    int openRelays() {
        return openRelays.get();
    }

    void relayEnded() {
        openRelays.decrementAndGet();
    }

    RelayListener listen(HttpRequest request) {
        openRelays.incrementAndGet();
        return listeners.apply(request);
    }

    UpstreamPool pool(EventLoop loop) {
        return pools.computeIfAbsent(loop, key -> new UpstreamPool(key, settings, transport, upstreamTls));
    }

    boolean isDraining() {
        return isDraining;
    }

    boolean isClosing() {
        return isClosing;
    }

    /** Between which a side is told to wait and to go on. */
    static WriteBufferWaterMark waterMark() {
        return new WriteBufferWaterMark(8 << 10, 32 << 10);
    }

    /** Long lines and headers pass, since a proxy must not be stricter than its server; long bodies come in pieces. */
    static HttpDecoderConfig decoderConfig() {
        return new HttpDecoderConfig()
                .setMaxInitialLineLength(MAX_LINE_BYTES)
                .setMaxHeaderSize(MAX_HEADERS_BYTES)
                .setMaxChunkSize(MAX_PIECE_BYTES);
    }
}
