package io.inferwatch.probes.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Looks at the first bytes of a client's connection and makes it HTTP/2 or HTTP/1.1: whoever speaks HTTP/2, by prior knowledge or agreed on within TLS, begins
 * with a preface that no request of HTTP/1.1 begins with. A stream of HTTP/2 is a channel of its own with a relay, like a connection of HTTP/1.1 is.
 */
final class ProtocolChoice extends ByteToMessageDecoder {
    private static final byte[] PREFACE = "PRI".getBytes(StandardCharsets.US_ASCII);
    private static final int MAX_STREAMS = 250;
    /** The windows of as many streams, 64 KiB each, so that those whose upstream does not take hold up no other. */
    private static final int CONNECTION_WINDOW_BYTES = MAX_STREAMS << 16;

    private final ProxyServer server;

    ProtocolChoice(ProxyServer server) {
        this.server = server;
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf bytes, List<Object> out) {
        for (int i = 0; i < PREFACE.length; i++) {
            if (i == bytes.readableBytes()) {
                return;
            }
            if (bytes.getByte(bytes.readerIndex() + i) != PREFACE[i]) {
                http1(ctx.pipeline());
                ctx.pipeline().remove(this);
                return;
            }
        }
        http2(ctx.pipeline());
        ctx.pipeline().remove(this);
    }

    private void http1(ChannelPipeline pipeline) {
        pipeline.addLast(new HttpServerCodec(ProxyServer.decoderConfig())).addLast(new ClientConnection(server));
    }

    private void http2(ChannelPipeline pipeline) {
        pipeline.addLast(Http2FrameCodecBuilder.forServer()
                        .initialSettings(Http2Settings.defaultSettings()
                                .maxConcurrentStreams(MAX_STREAMS)
                                .maxHeaderListSize(ProxyServer.MAX_HEADERS_BYTES))
                        .build())
                .addLast(new Http2MultiplexHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel stream) {
                        stream.config().setWriteBufferWaterMark(ProxyServer.waterMark());
                        stream.pipeline()
                                .addLast(new Http2StreamFrameToHttpObjectCodec(true))
                                .addLast(new StreamAsConnection())
                                .addLast(new ClientConnection(server));
                    }
                }))
                .addLast(new BrokenConnection());
        var unused = pipeline.write(new DefaultHttp2WindowUpdateFrame(CONNECTION_WINDOW_BYTES));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        var unused = ctx.close();
    }

    /** Ends a connection of HTTP/2 that broke, and with it its streams. */
    private static final class BrokenConnection extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            var unused = ctx.close();
        }
    }
}
