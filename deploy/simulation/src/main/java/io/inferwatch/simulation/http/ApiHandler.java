package io.inferwatch.simulation.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP interface on one connection: takes requests one after the other, a second one before the first is answered ends the connection.
 * A client that goes away cancels what it has asked.
 */
final class ApiHandler extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(ApiHandler.class);
    private static final int MOST_BODY_BYTES = 16 << 20;
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";
    private static final String FAULTS = "/simulation/faults";
    static final String GPU_METRICS = "/simulation/gpu/metrics";

    private final Simulation simulation;
    private final Body body = new Body();
    private @Nullable HttpRequest request;
    private @Nullable RequestHeaders headers;
    private @Nullable Generation generation;

    ApiHandler(Simulation simulation) {
        this.simulation = simulation;
    }

    /** Bytes of a body, as far as they are not too many. */
    private static final class Body {
        private byte[] bytes = new byte[4_096];
        private int size;

        void clear() {
            size = 0;
        }

        boolean add(ByteBuf more) {
            int length = more.readableBytes();
            if (size + length > MOST_BODY_BYTES) {
                return false;
            }
            if (size + length > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + length));
            }
            more.readBytes(bytes, size, length);
            size += length;
            return true;
        }

        @Override
        public String toString() {
            return new String(bytes, 0, size, StandardCharsets.UTF_8);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (message instanceof HttpRequest begun) {
                if (generation != null && !generation.isOver()) {
                    var unused = context.close();
                    return;
                }
                request = begun;
                headers = headers(begun.headers());
                body.clear();
            }
            if (message instanceof HttpContent content && request != null) {
                if (!body.add(content.content())) {
                    connection(context.channel())
                            .answer(413, Bodies.error(413, "BadRequestError", "body: must be at most 16 MiB"));
                    request = null;
                } else if (content instanceof LastHttpContent) {
                    handle(context.channel());
                }
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        if (generation != null) {
            generation.abandon();
        }
        super.channelInactive(context);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (!(cause instanceof IOException)) {
            LOG.warn("simulated server: connection failed", cause);
        }
        var unused = context.close();
    }

    private void handle(Channel channel) {
        HttpRequest received = Objects.requireNonNull(request);
        Connection connection = connection(channel);
        String path = new QueryStringDecoder(received.uri()).path();
        boolean isPost = received.method().equals(HttpMethod.POST);
        boolean isGet = received.method().equals(HttpMethod.GET);
        try {
            for (Api api : Api.values()) {
                if (isPost && path.equals(api.path())) {
                    generate(api, connection, channel);
                    return;
                }
            }
            if (path.equals(FAULTS) && (isGet || isPost)) {
                faults(isPost, connection, channel);
            } else if (isGet) {
                answer(path, connection, channel);
            } else {
                connection.answer(404, Bodies.error(404, "NotFoundError", path + " is not served"));
            }
        } catch (BadRequestException e) {
            connection.answer(e.status(), Bodies.error(e.status(), e.type(), String.valueOf(e.getMessage())));
        }
    }

    private void generate(Api api, Connection connection, Channel channel) throws BadRequestException {
        GenerationRequest asked = GenerationRequest.parse(api, body.toString());
        String model = asked.model().orElse(simulation.spec().model());
        if (!model.equals(simulation.spec().model())) {
            throw BadRequestException.unknownModel(model);
        }
        generation = simulation.begin(asked, Objects.requireNonNull(headers), connection, channel.eventLoop());
    }

    private void answer(String path, Connection connection, Channel channel) {
        switch (path) {
            case "/health" -> connection.answer(200, TEXT, "");
            case "/v1/models" -> connection.answer(200, models());
            case "/version" ->
                later(simulation.version(), channel, version -> {
                    ObjectNode answer = JsonNodeFactory.instance.objectNode();
                    answer.put("version", version);
                    answer.put("simulated", true);
                    answer.put("replica", simulation.spec().replica());
                    connection.answer(200, answer);
                });
            case GPU_METRICS ->
                later(simulation.gpuMetricsPage(), channel, page -> connection.answer(200, METRICS, page));
            case "/metrics" -> later(simulation.metricsPage(), channel, page -> connection.answer(200, METRICS, page));
            default -> connection.answer(404, Bodies.error(404, "NotFoundError", path + " is not served"));
        }
    }

    /** Whoever can reach the server may ask it; only who is on its host may harm it. */
    private void faults(boolean isPost, Connection connection, Channel channel) throws BadRequestException {
        boolean isLocal = channel.remoteAddress() instanceof InetSocketAddress remote
                && remote.getAddress().isLoopbackAddress();
        if (isPost && !isLocal) {
            connection.answer(403, Bodies.error(403, "Forbidden", "faults are switched from this host alone"));
            return;
        }
        FaultSwitch asked = isPost ? FaultSwitch.parse(body.toString()) : FaultSwitch.NOTHING;
        later(
                simulation.change(asked.on(), asked.off()),
                channel,
                present -> connection.answer(200, FaultSwitch.json(present)));
    }

    private ObjectNode models() {
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        answer.put("object", "list");
        ObjectNode model = answer.putArray("data").addObject();
        model.put("id", simulation.spec().model());
        model.put("object", "model");
        model.put("created", 0);
        model.put("owned_by", "inferwatch-simulation");
        model.put("max_model_len", simulation.spec().engine().maxContextTokens());
        return answer;
    }

    private static <T> void later(CompletableFuture<T> future, Channel channel, Consumer<T> action) {
        var unused = future.thenAcceptAsync(action, channel.eventLoop());
    }

    private Connection connection(Channel channel) {
        return new Connection(channel, HttpUtil.isKeepAlive(Objects.requireNonNull(request)));
    }

    private static RequestHeaders headers(HttpHeaders received) {
        return new RequestHeaders(
                System.nanoTime(),
                ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()),
                Optional.ofNullable(received.get("x-request-id")),
                Optional.ofNullable(received.get("traceparent")));
    }
}
