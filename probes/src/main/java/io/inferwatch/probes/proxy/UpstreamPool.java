package io.inferwatch.probes.proxy;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connections to the upstream of one event loop, so that a request and its answer never change threads. The one used last is used first; one that
 * has been idle longer than the settings say is closed, for the upstream might close it in the very moment of its next use. Confined to its loop.
 */
final class UpstreamPool {
    /** What a request waits for. */
    interface Waiter {
        void connected(UpstreamConnection connection);

        void failed(Throwable cause);
    }

    private final EventLoop loop;
    private final ProxySettings settings;
    private final Bootstrap bootstrap;
    private final ArrayDeque<UpstreamConnection> idle = new ArrayDeque<>();
    private boolean isSweeping;

    UpstreamPool(EventLoop loop, ProxySettings settings, Transport transport, @Nullable SslContext tls) {
        this.loop = loop;
        this.settings = settings;
        this.bootstrap = new Bootstrap()
                .group(loop)
                .channel(transport.connecting())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, ProxyServer.waterMark())
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        settings.connectTimeout().toMillis())
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (tls != null) {
                            SslHandler handler =
                                    tls.newHandler(channel.alloc(), settings.upstreamHost(), settings.upstreamPort());
                            handler.setHandshakeTimeoutMillis(
                                    settings.connectTimeout().toMillis());
                            channel.pipeline().addLast(handler);
                        }
                        UpstreamConnection connection = new UpstreamConnection(UpstreamPool.this);
                        channel.pipeline()
                                .addLast(new ChunkBypass(connection))
                                .addLast(new HttpClientCodec(ProxyServer.decoderConfig(), false, false))
                                .addLast(connection);
                    }
                });
    }

    /** Gives the waiter a connection, at once where one is idle. */
    void acquire(Waiter waiter) {
        for (UpstreamConnection connection = idle.pollLast(); connection != null; connection = idle.pollLast()) {
            if (connection.isUsable() && !isStale(connection)) {
                waiter.connected(connection);
                return;
            }
            connection.close();
        }
        bootstrap
                .connect(settings.upstreamHost(), settings.upstreamPort())
                .addListener(future -> {
                    if (!future.isSuccess()) {
                        waiter.failed(future.cause());
                    }
                })
                .channel()
                .attr(UpstreamConnection.WAITER)
                .set(waiter);
    }

    /** Takes a connection back whose answer was whole. */
    void release(UpstreamConnection connection) {
        connection.idleSinceNanos(System.nanoTime());
        idle.addLast(connection);
        if (!isSweeping) {
            isSweeping = true;
            sweepLater();
        }
    }

    /** A connection broke off; it may be one of the idle ones. */
    void remove(UpstreamConnection connection) {
        idle.remove(connection);
    }

    private void sweepLater() {
        var unused = loop.schedule(this::sweep, settings.idleTimeout().toNanos(), TimeUnit.NANOSECONDS);
    }

    private void sweep() {
        while (!idle.isEmpty() && isStale(idle.getFirst())) {
            idle.removeFirst().close();
        }
        isSweeping = !idle.isEmpty();
        if (isSweeping) {
            sweepLater();
        }
    }

    private boolean isStale(UpstreamConnection connection) {
        return System.nanoTime() - connection.idleSinceNanos()
                > settings.idleTimeout().toNanos();
    }
}
