package io.inferwatch.local.bench.peers;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;

/** Hands bytes on by Netty and knows no HTTP: the least that any proxy on Netty costs. Arguments: its port, the upstream's. */
final class NettyRelay {
    private NettyRelay() {}

    public static void main(String[] arguments) {
        int port = Integer.parseInt(arguments[0]);
        int upstreamPort = Integer.parseInt(arguments[1]);
        new ServerBootstrap()
                .group(new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory()))
                .channel(EpollServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, 8192)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.AUTO_READ, false)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel client) {
                        connect(client, upstreamPort);
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), port)
                .syncUninterruptibly();
    }

    private static void connect(Channel client, int upstreamPort) {
        Channel upstream = new Bootstrap()
                .group(client.eventLoop())
                .channel(EpollSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(new Forwarder(client))
                .connect(InetAddress.getLoopbackAddress(), upstreamPort)
                .addListener(future -> {
                    if (future.isSuccess()) {
                        client.config().setAutoRead(true);
                    } else {
                        var unused = client.close();
                    }
                })
                .channel();
        client.pipeline().addLast(new Forwarder(upstream));
    }

    /** What one side brings goes to the other, whatever that takes. */
    private static final class Forwarder extends ChannelInboundHandlerAdapter {
        private final Channel other;

        Forwarder(Channel other) {
            this.other = other;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (other.isActive()) {
                var unused = other.write(message, other.voidPromise());
            } else {
                ReferenceCountUtil.release(message);
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            other.flush();
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            var unused = other.close();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            var unused = ctx.close();
        }
    }
}
