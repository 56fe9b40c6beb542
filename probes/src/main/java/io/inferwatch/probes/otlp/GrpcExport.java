package io.inferwatch.probes.otlp;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.zip.GZIPInputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * OTLP over gRPC. All its calls are unary: one message in, one message and a status in the trailers out, so that a stream of HTTP/2 is one
 * whole request here, and no more of gRPC is needed.
 */
final class GrpcExport extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final Logger LOG = LoggerFactory.getLogger(GrpcExport.class);
    private static final String CONTENT_TYPE = "application/grpc";
    private static final String STATUS = "grpc-status";
    private static final String MESSAGE = "grpc-message";
    private static final int PREFIX_BYTES = 5;

    private final OtlpService service;
    private final int maxBytes;

    GrpcExport(OtlpService service, int maxBytes) {
        this.service = service;
        this.maxBytes = maxBytes;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        FullHttpResponse response;
        try {
            response = answer(take(request));
            service.count(PostResult.TAKEN);
        } catch (PostRefusedException e) {
            service.count(e.result());
            response = refusal(e.result(), String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            LOG.warn("a post could not be taken", e);
            service.count(PostResult.FAILED);
            response = refusal(PostResult.FAILED, "internal error");
        }
        var unused = context.writeAndFlush(response);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        var unused = context.close();
    }

    /** A refusal is a head without body whose headers are the trailers. */
    static FullHttpResponse refusal(PostResult result, String message) {
        FullHttpResponse response = head(Unpooled.EMPTY_BUFFER);
        response.headers().setInt(STATUS, result.grpcStatus()).set(MESSAGE, message.replace("%", "%25"));
        return response;
    }

    private Message take(FullHttpRequest request) throws PostRefusedException {
        Signal signal = Signal.ofGrpcPath(request.uri());
        if (signal == null) {
            throw new PostRefusedException(
                    PostResult.UNKNOWN_PATH,
                    "method: must be Export of OTLP's TraceService, MetricsService or LogsService");
        }
        HttpHeaders headers = request.headers();
        if (!request.method().equals(HttpMethod.POST)
                || !headers.get(HttpHeaderNames.CONTENT_TYPE, "").startsWith(CONTENT_TYPE)) {
            throw new PostRefusedException(PostResult.UNSUPPORTED, "content-type: must be " + CONTENT_TYPE);
        }
        service.admit(headers.get(HttpHeaderNames.AUTHORIZATION));
        Message.Builder post = signal.post();
        try {
            post.mergeFrom(message(request.content(), headers.get("grpc-encoding", "identity")));
        } catch (InvalidProtocolBufferException e) {
            throw new PostRefusedException(PostResult.MALFORMED, "message: must be protobuf of OTLP");
        }
        return signal.answer(service.take(post.build()));
    }

    /** The bytes behind a message's prefix: whether it is compressed, and its length. */
    private byte[] message(ByteBuf body, String encoding) throws PostRefusedException {
        if (body.readableBytes() < PREFIX_BYTES) {
            throw new PostRefusedException(PostResult.MALFORMED, "message: must be there");
        }
        boolean compressed = body.readByte() == 1;
        long length = body.readUnsignedInt();
        if (length != body.readableBytes()) {
            throw new PostRefusedException(PostResult.MALFORMED, "message: must be one, of the length that it says");
        }
        byte[] bytes = ByteBufUtil.getBytes(body);
        if (!compressed) {
            return bytes;
        }
        if (!encoding.equals("gzip")) {
            throw new PostRefusedException(PostResult.UNSUPPORTED, "grpc-encoding: must be gzip or identity");
        }
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            byte[] inflated = in.readNBytes(maxBytes + 1);
            if (inflated.length > maxBytes) {
                throw new PostRefusedException(PostResult.TOO_LARGE, "message: must be at most " + maxBytes + " bytes");
            }
            return inflated;
        } catch (IOException e) {
            throw new PostRefusedException(PostResult.MALFORMED, "message: must be gzip");
        }
    }

    private static FullHttpResponse answer(Message message) {
        byte[] bytes = message.toByteArray();
        ByteBuf body = Unpooled.buffer(PREFIX_BYTES + bytes.length);
        body.writeByte(0).writeInt(bytes.length).writeBytes(bytes);
        FullHttpResponse response = head(body);
        response.trailingHeaders().setInt(STATUS, PostResult.TAKEN.grpcStatus());
        return response;
    }

    private static FullHttpResponse head(ByteBuf body) {
        FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, body);
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, CONTENT_TYPE);
        return response;
    }
}
