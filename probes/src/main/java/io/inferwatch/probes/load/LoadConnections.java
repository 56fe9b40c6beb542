package io.inferwatch.probes.load;

import io.inferwatch.probes.proxy.Transport;
import io.inferwatch.probes.proxy.measure.Ending;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.ssl.SslContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one event loop. An idle one is used again, the latest first, unless it has been idle for so long that the server may be closing it; otherwise one more is made: nothing limits their
 * number but ports, of which each source address has its own. Confined to its loop.
 */
final class LoadConnections {
    /** Below the five seconds after which uvicorn, in front of most engines, closes an idle connection. */
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(4);

    private final EventLoop loop;
    private final Transport transport;
    private final List<InetAddress> sources;
    private final @Nullable SslContext tls;
    private final Map<URI, Pool> pools = new HashMap<>();
    private int nextSource;

    LoadConnections(EventLoop loop, Transport transport, List<InetAddress> sources, @Nullable SslContext tls) {
        this.loop = loop;
        this.transport = transport;
        this.sources = List.copyOf(sources);
        this.tls = tls;
    }

    /** Sends the request by an idle connection, or by a new one. */
    void acquire(Exchange exchange) {
        pools.computeIfAbsent(exchange.server(), Pool::new).acquire(exchange);
    }

    /** Those of one server, whose name is looked up once. */
    final class Pool {
        private final InetSocketAddress server;
        private final Bootstrap bootstrap;
        private final Deque<LoadConnection> idle = new ArrayDeque<>();

        private Pool(URI uri) {
            server = new InetSocketAddress(uri.getHost(), Target.port(uri));
            bootstrap = new Bootstrap()
                    .group(loop)
                    .channel(transport.connecting())
                    .option(ChannelOption.TCP_NODELAY, true)
                    // A request's own time limit holds for its connection too.
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 0)
                    .handler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            SslContext context = tls;
                            if (context != null) {
                                channel.pipeline()
                                        .addLast(context.newHandler(channel.alloc(), uri.getHost(), server.getPort()));
                            }
                            channel.pipeline().addLast(new HttpClientCodec(), new LoadConnection(Pool.this));
                        }
                    });
            if (transport == Transport.EPOLL && !sources.isEmpty()) {
                // The port is chosen when the connection is made, not when the address is bound: so each server has all
                // ports of each address.
                bootstrap.option(EpollChannelOption.IP_BIND_ADDRESS_NO_PORT, true);
            }
        }

        private void acquire(Exchange exchange) {
            for (LoadConnection connection = idle.pollLast(); connection != null; connection = idle.pollLast()) {
                if (connection.isFresh(FRESH_NANOS)) {
                    connection.send(exchange);
                    return;
                }
                connection.close();
            }
            ChannelFuture connecting = sources.isEmpty()
                    ? bootstrap.connect(server)
                    : bootstrap.connect(server, new InetSocketAddress(sources.get(nextSource++ % sources.size()), 0));
            var unused = connecting.addListener(future -> {
                if (future.isSuccess()) {
                    connecting.channel().pipeline().get(LoadConnection.class).send(exchange);
                } else {
                    exchange.end(Ending.REFUSED);
                }
            });
        }

        /** Takes a connection back whose answer was whole. */
        void release(LoadConnection connection) {
            idle.addLast(connection);
        }

        /** A connection broke off; it may be an idle one. */
        void remove(LoadConnection connection) {
            var unused = idle.remove(connection);
        }
    }
}
