package io.inferwatch.probes.proxy;

import io.inferwatch.probes.proxy.measure.Ending;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;

/**
 * Hears of one request as it is relayed, on the event loop of its connections, and must not throw. Buffers are lent for the call. The default hears
 * nothing: what is not measured passes untouched.
 */
interface RelayListener {
    /** For requests that are not measured. */
    RelayListener DEAF = new RelayListener() {};

    default void requestBody(ByteBuf content) {}

    default void requestEnded() {}

    default void connectionReady() {}

    default void sentUpstream() {}

    default void answerHeaders(HttpResponse answer) {}

    default void answerBody(ByteBuf bytes, int offset, int length) {}

    default void answerTrailers(HttpHeaders trailers) {}

    /** The proxy answered in the upstream's place. */
    default void answeredBySelf(int status) {}

    /** All that one read brought has been passed on. */
    default void passedOn() {}

    /** Whether to say when the client's connection has taken all that was passed on. */
    default boolean awaitsDelivery() {
        return false;
    }

    /** The client's connection has taken all. */
    default void delivered() {}

    /** Nothing comes after this. */
    default void ended(Ending ending) {}
}
