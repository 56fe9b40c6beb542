package io.inferwatch.probes.otlp;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** OTLP over HTTP, whole and inflated posts: protobuf or JSON, answered in the same. */
final class HttpExport extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final Logger LOG = LoggerFactory.getLogger(HttpExport.class);
    private static final String PROTOBUF = "application/x-protobuf";
    private static final String JSON = "application/json";

    private final OtlpService service;

    HttpExport(OtlpService service) {
        this.service = service;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        boolean json = isJson(request);
        FullHttpResponse response;
        try {
            byte[] answer = take(request, json);
            service.count(PostResult.TAKEN);
            response = response(PostResult.TAKEN, json, answer);
        } catch (PostRefusedException e) {
            service.count(e.result());
            response = response(e.result(), json, status(e, json));
        } catch (RuntimeException e) {
            LOG.warn("a post could not be taken", e);
            service.count(PostResult.FAILED);
            PostRefusedException failed = new PostRefusedException(PostResult.FAILED, "internal error");
            response = response(failed.result(), json, status(failed, json));
        }
        if (HttpUtil.isKeepAlive(request)) {
            HttpUtil.setKeepAlive(response, true);
            var unused = context.writeAndFlush(response);
        } else {
            var unused = context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
        }
    }

    /** What cannot be read as HTTP or inflated. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof DecoderException && context.channel().isActive()) {
            service.count(PostResult.MALFORMED);
            PostRefusedException refused =
                    new PostRefusedException(PostResult.MALFORMED, "body: must be whole, in its content-encoding");
            var unused = context.writeAndFlush(response(refused.result(), false, status(refused, false)))
                    .addListener(ChannelFutureListener.CLOSE);
        } else {
            var unused = context.close();
        }
    }

    private byte[] take(FullHttpRequest request, boolean json) throws PostRefusedException {
        Signal signal = Signal.ofHttpPath(request.uri().split("\\?", 2)[0]);
        if (signal == null) {
            throw new PostRefusedException(
                    PostResult.UNKNOWN_PATH, "path: must be /v1/traces, /v1/metrics or /v1/logs");
        }
        if (!request.method().equals(HttpMethod.POST)) {
            throw new PostRefusedException(PostResult.NOT_A_POST, "method: must be POST");
        }
        service.admit(request.headers().get(HttpHeaderNames.AUTHORIZATION));
        if (!json && !isType(request, PROTOBUF)) {
            throw new PostRefusedException(PostResult.UNSUPPORTED, "content-type: must be " + PROTOBUF + " or " + JSON);
        }
        String encoding = request.headers().get(HttpHeaderNames.CONTENT_ENCODING, "identity");
        if (!encoding.equals("identity")) {
            throw new PostRefusedException(PostResult.UNSUPPORTED, "content-encoding: must be gzip or none");
        }
        if (request.decoderResult().isFailure()) {
            throw new PostRefusedException(PostResult.MALFORMED, "request: must be HTTP");
        }
        byte[] body = ByteBufUtil.getBytes(request.content());
        Message.Builder post = signal.post();
        try {
            if (json) {
                OtlpJson.merge(body, post);
            } else {
                post.mergeFrom(body);
            }
        } catch (InvalidProtocolBufferException e) {
            throw new PostRefusedException(PostResult.MALFORMED, "body: must be protobuf of OTLP");
        } catch (IOException e) {
            throw new PostRefusedException(PostResult.MALFORMED, String.valueOf(e.getMessage()));
        }
        Refused refused = service.take(post.build());
        return json
                ? signal.jsonAnswer(refused).getBytes(StandardCharsets.UTF_8)
                : signal.answer(refused).toByteArray();
    }

    private static FullHttpResponse response(PostResult result, boolean json, byte[] body) {
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(result.httpStatus()), Unpooled.wrappedBuffer(body));
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, json ? JSON : PROTOBUF);
        response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, body.length);
        if (result == PostResult.NOT_A_POST) {
            response.headers().set(HttpHeaderNames.ALLOW, HttpMethod.POST);
        }
        if (result == PostResult.UNAUTHORIZED) {
            response.headers().set(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer");
        }
        return response;
    }

    /** A {@code google.rpc.Status}: field 1 its code, field 2 its message. */
    private static byte[] status(PostRefusedException refused, boolean json) {
        int code = refused.result().grpcStatus();
        String message = String.valueOf(refused.getMessage());
        if (json) {
            return JsonNodeFactory.instance
                    .objectNode()
                    .put("code", code)
                    .put("message", message)
                    .toString()
                    .getBytes(StandardCharsets.UTF_8);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            CodedOutputStream out = CodedOutputStream.newInstance(bytes);
            out.writeInt32(1, code);
            out.writeString(2, message);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("bytes in memory cannot fail to be written", e);
        }
        return bytes.toByteArray();
    }

    private static boolean isJson(FullHttpRequest request) {
        return isType(request, JSON);
    }

    private static boolean isType(FullHttpRequest request, String type) {
        String found = request.headers().get(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.TEXT_PLAIN.toString());
        return found.split(";", 2)[0].trim().toLowerCase(Locale.ROOT).equals(type);
    }
}
