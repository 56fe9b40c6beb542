package io.inferwatch.probes.proxy;

import io.inferwatch.probes.admin.ListenAddress;
import io.inferwatch.probes.tls.ClientTls;
import io.inferwatch.probes.tls.ServerTls;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/**
 * How the proxy works.
 *
 * @param upstream scheme, host and port of the server that is watched
 * @param tls how clients reach it; empty for plain HTTP
 * @param upstreamTls whom to trust upstream, and as whom to go there; used for https only
 * @param connectTimeout after which a client gets a 504
 * @param upstreamTimeout of silence upstream after which a client gets a 504, or a broken stream
 * @param idleTimeout after which an unused connection upstream is closed; less than the upstream's own
 * @param threads event loops
 * @param injectsUsage whether streams are asked for their token counts where clients do not ask
 */
record ProxySettings(
        ListenAddress listen,
        URI upstream,
        Optional<ServerTls> tls,
        ClientTls upstreamTls,
        Duration connectTimeout,
        Duration upstreamTimeout,
        Duration idleTimeout,
        int threads,
        boolean injectsUsage) {
    static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    static final Duration UPSTREAM_TIMEOUT = Duration.ofMinutes(10);
    /** Uvicorn, on which vLLM and SGLang stand, closes idle connections after 5 s. */
    static final Duration IDLE_TIMEOUT = Duration.ofSeconds(3);

    /** Plain HTTP on both sides, everything else as it comes. */
    static ProxySettings of(ListenAddress listen, URI upstream) {
        return new ProxySettings(
                listen,
                upstream,
                Optional.empty(),
                ClientTls.SYSTEM,
                CONNECT_TIMEOUT,
                UPSTREAM_TIMEOUT,
                IDLE_TIMEOUT,
                Runtime.getRuntime().availableProcessors(),
                false);
    }

    boolean isUpstreamTls() {
        return "https".equalsIgnoreCase(upstream.getScheme());
    }

    String upstreamHost() {
        String host = upstream.getHost();
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    int upstreamPort() {
        return upstream.getPort() >= 0 ? upstream.getPort() : isUpstreamTls() ? 443 : 80;
    }
}
