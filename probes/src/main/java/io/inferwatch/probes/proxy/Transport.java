package io.inferwatch.probes.proxy;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;

/** How sockets are watched, read and written. */
public enum Transport {
    /** Linux's epoll by a native library. */
    EPOLL(EpollServerSocketChannel.class, EpollSocketChannel.class),
    /** Java's own selectors, everywhere. */
    NIO(NioServerSocketChannel.class, NioSocketChannel.class);

    private final Class<? extends ServerSocketChannel> listening;
    private final Class<? extends SocketChannel> connecting;

    Transport(Class<? extends ServerSocketChannel> listening, Class<? extends SocketChannel> connecting) {
        this.listening = listening;
        this.connecting = connecting;
    }

    /** The one that costs least here: epoll where its library can be loaded. */
    public static Transport best() {
        return Epoll.isAvailable() ? EPOLL : NIO;
    }

    /** What event loops of it are made of. */
    public IoHandlerFactory handlers() {
        return this == EPOLL ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    }

    /** Sockets that take connections. */
    public Class<? extends ServerSocketChannel> listening() {
        return listening;
    }

    /** Sockets that make connections. */
    public Class<? extends SocketChannel> connecting() {
        return connecting;
    }
}
