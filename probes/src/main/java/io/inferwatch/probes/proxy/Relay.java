package io.inferwatch.probes.proxy;

import io.inferwatch.probes.proxy.measure.Ending;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer on their way through: every part is passed on with the read that brought it, and neither side is read while the other
 * does not take. A client that goes away takes its connection upstream with it. An upstream that cannot be reached or breaks off before its answer
 * makes a 502, one that stays silent a 504; within an answer the client's connection breaks off too, as its end would otherwise look proper.
 * Confined to the event loop that both connections share.
 */
final class Relay implements UpstreamPool.Waiter {
    private static final String EVENT_STREAM = "text/event-stream";

    private final ClientConnection client;
    private final ProxyServer server;
    private final HttpRequest request;
    private final boolean clientStays;
    private final boolean clientKnowsChunks;
    private final RelayListener listener;

    /** Parts of the request that came before there was a connection, or that are held for a look. */
    private final ArrayDeque<HttpContent> waiting = new ArrayDeque<>();

    private final boolean mayInjectUsage;
    private @Nullable UsageChunkFilter usageChunk;

    private @Nullable UpstreamConnection upstream;
    private @Nullable ScheduledFuture<?> watch;
    private long upstreamActiveNanos;
    private boolean requestOver;
    private boolean requestSent;
    private boolean answerBegun;
    private boolean answerOver;
    private boolean takesChunks;
    private boolean upstreamStays;
    private boolean closesClient;
    private boolean isBeginning;
    private boolean isOver;

    Relay(ClientConnection client, ProxyServer server, HttpRequest request) {
        this.client = client;
        this.server = server;
        this.request = request;
        this.clientStays = HttpUtil.isKeepAlive(request);
        this.clientKnowsChunks = request.protocolVersion().isKeepAliveDefault();
        this.listener = server.listen(request);
        this.mayInjectUsage = server.settings().injectsUsage() && UsageInjection.mayApply(request);
    }

    void begin() {
        if (HttpMethod.CONNECT.equals(request.method())) {
            fail(HttpResponseStatus.METHOD_NOT_ALLOWED, "CONNECT is not served here", Ending.COMPLETE);
            return;
        }
        upstreamActiveNanos = System.nanoTime();
        isBeginning = true;
        server.pool(client.context().channel().eventLoop()).acquire(this);
        isBeginning = false;
        if (upstream == null && !isOver) {
            client.read(false);
        }
    }

    @Override
    public void connected(UpstreamConnection connection) {
        if (isOver) {
            connection.close();
            return;
        }
        listener.connectionReady();
        connection.serve(this);
        upstream = connection;
        sendRequest(connection);
        if (!isBeginning) {
            // Else the rest of the read that brought the request goes with it.
            connection.flush();
        }
        if (requestSent) {
            listener.sentUpstream();
        }
        upstreamActiveNanos = System.nanoTime();
        long limitNanos = server.settings().upstreamTimeout().toNanos();
        watch = client.context().executor().schedule(this::check, limitNanos, TimeUnit.NANOSECONDS);
        client.read(true);
    }

    /** Sends what there is of the request, unless it is held until all of it is there. */
    private void sendRequest(UpstreamConnection connection) {
        if (mayInjectUsage) {
            if (!requestOver) {
                return;
            }
            injectUsage();
        }
        requestSent = true;
        HopByHop.remove(request);
        request.setProtocolVersion(HttpVersion.HTTP_1_1);
        connection.write(request);
        while (!waiting.isEmpty()) {
            connection.write(waiting.removeFirst());
        }
    }

    private void injectUsage() {
        CompositeByteBuf whole = Unpooled.compositeBuffer();
        waiting.forEach(part -> whole.addComponent(true, part.content().retain()));
        ByteBuf asking = UsageInjection.apply(request, whole);
        whole.release();
        if (asking != null) {
            usageChunk = new UsageChunkFilter();
            waiting.forEach(HttpContent::release);
            waiting.clear();
            waiting.add(new DefaultLastHttpContent(asking));
        }
    }

    @Override
    public void failed(Throwable cause) {
        if (cause instanceof ConnectTimeoutException) {
            fail(HttpResponseStatus.GATEWAY_TIMEOUT, "the upstream takes no connection", Ending.TIMED_OUT);
        } else {
            fail(HttpResponseStatus.BAD_GATEWAY, "the upstream refuses connections", Ending.REFUSED);
        }
    }

    void requestContent(HttpContent content) {
        if (isOver) {
            content.release();
            return;
        }
        requestOver = content instanceof LastHttpContent;
        listener.requestBody(content.content());
        if (requestOver) {
            listener.requestEnded();
        }
        UpstreamConnection connection = upstream;
        if (connection != null && requestSent) {
            connection.write(content);
            return;
        }
        waiting.addLast(content);
        if (connection != null) {
            sendRequest(connection);
            if (requestSent) {
                listener.sentUpstream();
            }
        }
    }

    void requestPassedOn() {
        UpstreamConnection connection = upstream;
        if (connection != null && !isOver) {
            connection.flush();
            upstreamActiveNanos = System.nanoTime();
        }
        listener.passedOn();
    }

    void answer(HttpResponse answer) {
        if (answer.status().codeClass() == HttpStatusClass.INFORMATIONAL) {
            client.write(answer);
            return;
        }
        answerBegun = true;
        upstreamStays = HttpUtil.isKeepAlive(answer);
        listener.answerHeaders(answer);
        boolean isChunked = HttpUtil.isTransferEncodingChunked(answer);
        boolean isFramed = isChunked
                || answer.headers().contains(HttpHeaderNames.CONTENT_LENGTH)
                || HttpMethod.HEAD.equals(request.method())
                || answer.status().code() == 204
                || answer.status().code() == 304;
        if (!isChunked || !isEventStream(answer)) {
            usageChunk = null;
        }
        HopByHop.remove(answer);
        if (isChunked && !clientKnowsChunks) {
            answer.headers().remove(HttpHeaderNames.TRANSFER_ENCODING);
        }
        answer.setProtocolVersion(HttpVersion.HTTP_1_1);
        closesClient = !clientStays || !isFramed || (isChunked && !clientKnowsChunks) || server.isDraining();
        if (closesClient) {
            answer.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        } else if (!clientKnowsChunks) {
            answer.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
        }
        client.write(answer);
        takesChunks = isChunked && clientKnowsChunks && usageChunk == null && client.takesBytes();
    }

    private static boolean isEventStream(HttpResponse answer) {
        String type = answer.headers().get(HttpHeaderNames.CONTENT_TYPE);
        return type != null
                && type.regionMatches(true, 0, EVENT_STREAM, 0, EVENT_STREAM.length())
                && !answer.headers().contains(HttpHeaderNames.CONTENT_ENCODING);
    }

    void answerContent(HttpContent content) {
        upstreamActiveNanos = System.nanoTime();
        if (!answerBegun) {
            // The end of an informational answer.
            client.write(content);
            return;
        }
        takesChunks = false;
        ByteBuf bytes = content.content();
        listener.answerBody(bytes, bytes.readerIndex(), bytes.readableBytes());
        if (content instanceof LastHttpContent last) {
            answerOver = true;
            if (!last.trailingHeaders().isEmpty()) {
                listener.answerTrailers(last.trailingHeaders());
            }
        }
        UsageChunkFilter filter = usageChunk;
        if (filter == null) {
            client.write(content);
        } else {
            writeFiltered(filter, content);
        }
    }

    /** Whether the headers of the answer are still to come. */
    boolean awaitsAnswer() {
        return !answerBegun;
    }

    /** Whether the body that comes now may go on in the chunks that the upstream made. */
    boolean takesChunks() {
        return takesChunks && !isOver;
    }

    /** Data within the chunks that come next. */
    void answerData(ByteBuf bytes, int offset, int length) {
        listener.answerBody(bytes, offset, length);
    }

    /** Chunks, or pieces of them, as they came. */
    void answerChunks(ByteBuf bytes) {
        upstreamActiveNanos = System.nanoTime();
        client.writeBytes(bytes);
    }

    private void writeFiltered(UsageChunkFilter filter, HttpContent content) {
        ByteBuf passed = filter.filter(content.content());
        if (content instanceof LastHttpContent) {
            client.write(content.replace(Unpooled.wrappedBuffer(passed, filter.rest())));
        } else if (passed.isReadable()) {
            client.write(new DefaultHttpContent(passed));
        }
        content.release();
    }

    void answerPassedOn() {
        client.flush();
        boolean isDelivered = client.isDrained();
        listener.passedOn();
        if (listener.awaitsDelivery()) {
            if (isDelivered) {
                listener.delivered();
            } else {
                client.whenDrained(listener::delivered);
            }
        }
        if (answerOver) {
            finish();
        }
    }

    /** The client takes more, or no more for now. */
    void clientTakes(boolean more) {
        UpstreamConnection connection = upstream;
        if (connection != null) {
            upstreamActiveNanos = System.nanoTime();
            connection.read(more);
        }
    }

    /** The upstream takes more, or no more for now. */
    void upstreamTakes(boolean more) {
        client.read(more);
    }

    void clientClosed() {
        end(server.isClosing() ? Ending.SHUT_DOWN : Ending.CLIENT_CLOSED);
    }

    void upstreamClosed() {
        upstream = null;
        if (!answerBegun) {
            fail(HttpResponseStatus.BAD_GATEWAY, "the upstream closed the connection before its answer", Ending.RESET);
        } else {
            breakOff(Ending.CUT);
        }
    }

    void upstreamGarbled() {
        if (!answerBegun) {
            fail(HttpResponseStatus.BAD_GATEWAY, "the upstream's answer cannot be read", Ending.GARBLED);
        } else {
            breakOff(Ending.CUT);
        }
    }

    /** Whether all of the request has come, so that what comes next is another. */
    boolean isRequestOver() {
        return requestOver;
    }

    private void check() {
        UpstreamConnection connection = upstream;
        if (isOver || connection == null) {
            return;
        }
        long limitNanos = server.settings().upstreamTimeout().toNanos();
        // A silence that the client makes, by not taking or not sending, is not the upstream's.
        boolean isItsTurn = connection.reads() && requestOver;
        long silentNanos = isItsTurn ? System.nanoTime() - upstreamActiveNanos : 0;
        if (silentNanos < limitNanos) {
            watch = client.context().executor().schedule(this::check, limitNanos - silentNanos, TimeUnit.NANOSECONDS);
        } else if (!answerBegun) {
            fail(HttpResponseStatus.GATEWAY_TIMEOUT, "the upstream does not answer", Ending.TIMED_OUT);
        } else {
            breakOff(Ending.TIMED_OUT);
        }
    }

    private void finish() {
        UpstreamConnection connection = upstream;
        upstream = null;
        if (connection != null) {
            if (upstreamStays && requestOver && connection.isUsable()) {
                connection.release();
            } else {
                connection.close();
            }
        }
        end(Ending.COMPLETE);
        client.over(closesClient || !requestOver);
    }

    private void fail(HttpResponseStatus status, String reason, Ending ending) {
        if (isOver) {
            return;
        }
        boolean isLast = !clientStays || !requestOver || server.isDraining();
        listener.answeredBySelf(status.code());
        client.refuse(status, reason, isLast);
        end(ending);
        if (!isLast) {
            client.over(false);
        }
    }

    private void breakOff(Ending ending) {
        if (!isOver) {
            client.flush();
            end(ending);
            client.close();
        }
    }

    private void end(Ending ending) {
        if (isOver) {
            return;
        }
        isOver = true;
        ScheduledFuture<?> present = watch;
        if (present != null) {
            present.cancel(false);
        }
        waiting.forEach(HttpContent::release);
        waiting.clear();
        UpstreamConnection connection = upstream;
        upstream = null;
        if (connection != null) {
            connection.close();
        }
        listener.ended(ending);
        server.relayEnded();
    }
}
