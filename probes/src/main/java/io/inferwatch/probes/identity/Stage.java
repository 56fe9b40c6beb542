package io.inferwatch.probes.identity;

import io.inferwatch.schemas.RequestEvent;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A stage on a request's way whose time others than the probe measure. */
@SuppressWarnings("ImmutableEnumChecker") // its functions are method references
public enum Stage {
    GATEWAY("gateway", RequestEvent::getGatewayMicros, RequestEvent::setGatewayMicros),
    AUTHENTICATION("authentication", RequestEvent::getAuthenticationMicros, RequestEvent::setAuthenticationMicros),
    PARSE("parse", RequestEvent::getParseMicros, RequestEvent::setParseMicros),
    TEMPLATE("template", RequestEvent::getTemplateMicros, RequestEvent::setTemplateMicros),
    TOKENIZE("tokenize", RequestEvent::getTokenizeMicros, RequestEvent::setTokenizeMicros),
    QUEUE("queue", RequestEvent::getQueueMicros, RequestEvent::setQueueMicros),
    PREFILL("prefill", RequestEvent::getPrefillMicros, RequestEvent::setPrefillMicros),
    KV_TRANSFER("kv-transfer", RequestEvent::getKvTransferMicros, RequestEvent::setKvTransferMicros),
    DECODE("decode", RequestEvent::getDecodeMicros, RequestEvent::setDecodeMicros),
    ASSEMBLY("assembly", RequestEvent::getAssemblyMicros, RequestEvent::setAssemblyMicros),
    POSTPROCESS("postprocess", RequestEvent::getPostprocessMicros, RequestEvent::setPostprocessMicros);

    private final String key;
    private final Function<RequestEvent, @Nullable Long> getter;
    private final BiConsumer<RequestEvent, Long> setter;

    Stage(String key, Function<RequestEvent, @Nullable Long> getter, BiConsumer<RequestEvent, Long> setter) {
        this.key = key;
        this.getter = getter;
        this.setter = setter;
    }

    /** Its name in headers. */
    public String key() {
        return key;
    }

    /** Gives the event this stage's time, unless it has one: who measured itself knows better. */
    void fill(RequestEvent event, long micros) {
        if (getter.apply(event) == null) {
            setter.accept(event, micros);
        }
    }
}
