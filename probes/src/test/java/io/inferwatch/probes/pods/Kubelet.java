package io.inferwatch.probes.pods;

import com.google.protobuf.CodedOutputStream;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Frame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A kubelet's socket of pod resources: gRPC frame by frame, with messages written by the field numbers of its published API. */
public final class Kubelet implements AutoCloseable {
    private final EventLoopGroup threads = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private volatile byte[] message = {};
    private volatile int status;

    private Kubelet() {}

    /** Listens until it is closed. */
    public static Kubelet listening(Path socket) {
        Kubelet kubelet = new Kubelet();
        var unused = new ServerBootstrap()
                .group(kubelet.threads)
                .channel(NioServerDomainSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel connection) {
                        ChannelInitializer<Channel> calls = new ChannelInitializer<>() {
                            @Override
                            protected void initChannel(Channel stream) {
                                stream.pipeline().addLast(kubelet.new Call());
                            }
                        };
                        connection
                                .pipeline()
                                .addLast(Http2FrameCodecBuilder.forServer().build(), new Http2MultiplexHandler(calls));
                    }
                })
                .bind(UnixDomainSocketAddress.of(socket))
                .syncUninterruptibly();
        return kubelet;
    }

    /** What every call is answered from now on. */
    public void answer(byte[] response) {
        status = 0;
        message = response;
    }

    void refuse(int grpcStatus) {
        status = grpcStatus;
    }

    /** Method, path, content type, te and length of every call. */
    List<String> asked() {
        return asked;
    }

    @Override
    public void close() {
        var unused = threads.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    /** ListPodResourcesResponse. */
    public static byte[] pods(byte[]... pods) {
        return written(out -> {
            for (byte[] pod : pods) {
                out.writeByteArray(1, pod);
            }
        });
    }

    /** PodResources with one container of devices, and processors and memory, which nobody asked for. */
    public static byte[] pod(String namespace, String name, byte[]... devices) {
        byte[] container = written(out -> {
            out.writeString(1, "server");
            for (byte[] of : devices) {
                out.writeByteArray(2, of);
            }
            out.writeInt64(3, 7);
            out.writeByteArray(4, new byte[] {0x0a, 0x01, 'm'});
        });
        return written(out -> {
            out.writeString(1, name);
            out.writeString(2, namespace);
            out.writeByteArray(3, container);
        });
    }

    /** ContainerDevices, with a topology. */
    public static byte[] devices(String resource, String... ids) {
        return written(out -> {
            out.writeString(1, resource);
            for (String id : ids) {
                out.writeString(2, id);
            }
            out.writeByteArray(3, new byte[] {0x0a, 0x00});
        });
    }

    private interface Fields {
        void write(CodedOutputStream out) throws IOException;
    }

    private static byte[] written(Fields fields) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            CodedOutputStream out = CodedOutputStream.newInstance(bytes);
            fields.write(out);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private final class Call extends SimpleChannelInboundHandler<Http2Frame> {
        private final StringBuilder call = new StringBuilder();

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, Http2Frame frame) {
            if (frame instanceof Http2HeadersFrame head) {
                call.append(head.headers().method())
                        .append(' ')
                        .append(head.headers().path())
                        .append(' ')
                        .append(head.headers().get("content-type"))
                        .append(' ')
                        .append(head.headers().get("te"));
            } else if (frame instanceof Http2DataFrame data) {
                call.append(' ').append(data.content().readableBytes());
                if (data.isEndStream()) {
                    asked.add(call.toString());
                    answer(ctx);
                }
            }
        }

        private void answer(ChannelHandlerContext ctx) {
            DefaultHttp2Headers head = new DefaultHttp2Headers();
            head.status("200").set("content-type", "application/grpc");
            if (status != 0) {
                head.setInt("grpc-status", status).set("grpc-message", "not today");
                var unused = ctx.writeAndFlush(new DefaultHttp2HeadersFrame(head, true));
                return;
            }
            var unusedHead = ctx.write(new DefaultHttp2HeadersFrame(head, false));
            ByteBuf body =
                    Unpooled.buffer().writeByte(0).writeInt(message.length).writeBytes(message);
            // In two frames, as a long message comes.
            int half = body.readableBytes() / 2;
            var unusedHalf = ctx.write(new DefaultHttp2DataFrame(body.readRetainedSlice(half), false));
            var unusedRest = ctx.write(new DefaultHttp2DataFrame(body, false));
            DefaultHttp2Headers last = new DefaultHttp2Headers();
            last.setInt("grpc-status", 0);
            var unusedLast = ctx.writeAndFlush(new DefaultHttp2HeadersFrame(last, true));
        }
    }
}
