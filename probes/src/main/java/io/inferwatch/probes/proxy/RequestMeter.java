package io.inferwatch.probes.proxy;

import io.inferwatch.probes.identity.RequestIdentity;
import io.inferwatch.probes.identity.StageTimes;
import io.inferwatch.probes.proxy.measure.Ending;
import io.inferwatch.probes.proxy.measure.Measurement;
import io.inferwatch.schemas.RequestEvent;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Measures one relay. Bytes are copied when they come and looked at when they have been passed on, so that measuring delays no byte of its own
 * request. Whatever goes wrong in measuring ends the measuring and is counted; the relay does not notice.
 */
final class RequestMeter implements RelayListener {
    private final RequestMeters meters;
    private final Measurement measurement;
    private final RequestIdentity identity;
    private final String httpVersion;
    private final boolean isRequestReadable;
    private final Scratch scratch = Scratch.ofThisLoop();
    private final Scratch.Reader requestReader = this::readRequest;
    private final Scratch.Reader answerReader = this::readAnswer;

    private @Nullable SideInflater inflater;

    private final List<StageTimes> answerStages = new ArrayList<>(1);
    private long readAtNanos;
    private boolean isReading;
    private boolean isBroken;

    RequestMeter(
            RequestMeters meters,
            Measurement measurement,
            HttpRequest request,
            RequestIdentity identity,
            boolean isRequestReadable) {
        this.meters = meters;
        this.measurement = measurement;
        this.identity = identity;
        HttpVersion version = request.protocolVersion();
        this.httpVersion = version.majorVersion() == 2 ? "2" : version.majorVersion() + "." + version.minorVersion();
        this.isRequestReadable = isRequestReadable;
    }

    Measurement measurement() {
        return measurement;
    }

    @Override
    public void requestBody(ByteBuf content) {
        if (isRequestReadable && content.isReadable()) {
            scratch.add(content, content.readerIndex(), content.readableBytes(), requestReader);
        }
    }

    @Override
    public void requestEnded() {
        measurement.requestEnded(System.nanoTime());
    }

    @Override
    public void connectionReady() {
        measurement.connectionReady(System.nanoTime());
    }

    @Override
    public void sentUpstream() {
        measurement.sentUpstream(System.nanoTime());
    }

    @Override
    public void answerHeaders(HttpResponse answer) {
        beginRead();
        String encoding = answer.headers().get(HttpHeaderNames.CONTENT_ENCODING);
        inflater = SideInflater.of(encoding);
        boolean isReadable = SideInflater.knows(encoding);
        if (!isReadable) {
            meters.counters().unmeasured(RequestMeters.Unmeasured.ENCODING);
        }
        measurement.answerHeaders(
                answer.status().code(),
                answer.headers().get(HttpHeaderNames.CONTENT_TYPE),
                encoding,
                isReadable,
                readAtNanos);
        answerStages.add(meters.stageTimes(answer.headers()));
    }

    @Override
    public void answerBody(ByteBuf bytes, int offset, int length) {
        beginRead();
        if (!isBroken && length > 0) {
            scratch.add(bytes, offset, length, answerReader);
        }
    }

    @Override
    public void answerTrailers(HttpHeaders trailers) {
        answerStages.add(meters.stageTimes(trailers));
    }

    @Override
    public void answeredBySelf(int status) {
        measurement.answeredBySelf(status);
    }

    @Override
    public void passedOn() {
        scratch.drain();
        isReading = false;
    }

    @Override
    public boolean awaitsDelivery() {
        return measurement.awaitsDelivery();
    }

    @Override
    public void delivered() {
        measurement.delivered(System.nanoTime());
    }

    @Override
    public void ended(Ending ending) {
        scratch.drain();
        SideInflater present = inflater;
        if (present != null) {
            present.close();
        }
        try {
            RequestEvent event = measurement.end(ending, System.nanoTime());
            event.setHttpVersion(httpVersion);
            identity.fill(event);
            answerStages.forEach(stages -> stages.fill(event));
            meters.ended(this, event);
        } catch (RuntimeException e) {
            meters.broken(this, e);
        }
    }

    /** All parts of one read have the time of the first. */
    private void beginRead() {
        if (!isReading) {
            isReading = true;
            readAtNanos = System.nanoTime();
        }
    }

    private void readRequest(byte[] bytes, int length) {
        if (!isBroken) {
            try {
                measurement.requestBody(bytes, 0, length);
            } catch (RuntimeException e) {
                broken(e);
            }
        }
    }

    private void readAnswer(byte[] bytes, int length) {
        if (isBroken) {
            return;
        }
        try {
            SideInflater present = inflater;
            if (present == null) {
                measurement.answerBody(bytes, 0, length, readAtNanos);
            } else {
                present.inflate(
                        bytes,
                        length,
                        (plain, offset, plainLength) ->
                                measurement.answerBody(plain, offset, plainLength, readAtNanos));
            }
        } catch (RuntimeException e) {
            broken(e);
        }
    }

    private void broken(RuntimeException cause) {
        isBroken = true;
        measurement.unreadable();
        meters.counters().unmeasured(RequestMeters.Unmeasured.FAILED);
        meters.warn(cause);
    }
}
