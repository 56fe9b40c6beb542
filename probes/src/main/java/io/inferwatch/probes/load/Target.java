package io.inferwatch.probes.load;

import io.netty.handler.ssl.SslContext;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Who is asked, and how.
 *
 * @param servers in turn; more than one where nothing in front of them does that
 * @param uri path and query of a request
 * @param model named in requests; empty where the server has one only
 * @param headers added to each request; may be secret
 * @param tls null for plain HTTP
 */
record Target(
        List<URI> servers,
        Api api,
        String uri,
        Optional<String> model,
        Map<String, String> headers,
        @Nullable SslContext tls) {
    /** Header that says in which form prompts are; probes in front of servers read it too. */
    static final String PROMPT_STRUCTURE = "x-prompt-structure";

    private static final int HTTP = 80;
    private static final int HTTPS = 443;

    Target {
        servers = List.copyOf(servers);
        headers = Map.copyOf(headers);
    }

    /** One server, plainly. */
    static Target of(URI server, Api api) {
        return new Target(List.of(server), api, api.path(), Optional.empty(), Map.of(), null);
    }

    /** The same with one more header, or another value of it. */
    Target withHeader(String name, String value) {
        Map<String, String> more = new HashMap<>(headers);
        more.put(name, value);
        return new Target(servers, api, uri, model, more, tls);
    }

    /** The server of a request. */
    URI server(long number) {
        return servers.get((int) (number % servers.size()));
    }

    static int port(URI server) {
        if (server.getPort() >= 0) {
            return server.getPort();
        }
        return "https".equalsIgnoreCase(server.getScheme()) ? HTTPS : HTTP;
    }
}
