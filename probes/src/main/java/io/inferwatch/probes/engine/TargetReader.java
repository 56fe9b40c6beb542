package io.inferwatch.probes.engine;

import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.schemas.settings.Settings;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads targets as people write them. */
final class TargetReader {
    static final String MUST_BE = "http://HOST:PORT or https://HOST:PORT, with a path unless it is /metrics";
    private static final URI NOWHERE = URI.create("http://localhost/metrics");

    private TargetReader() {}

    /** A page's address, with {@code /metrics} where it has no path; null when it is none. */
    static @Nullable URI url(String text) {
        URI url;
        try {
            url = new URI(text.trim());
        } catch (URISyntaxException e) {
            return null;
        }
        boolean isHttp = "http".equalsIgnoreCase(url.getScheme()) || "https".equalsIgnoreCase(url.getScheme());
        if (!isHttp || url.getHost() == null || url.getRawUserInfo() != null || url.getRawFragment() != null) {
            return null;
        }
        boolean isBare = url.getRawPath().isEmpty() || url.getRawPath().equals("/");
        return isBare && url.getRawQuery() == null ? url.resolve("/metrics") : url;
    }

    /**
     * A target of the settings: {@code url}, {@code token-file}, {@code ca}, {@code certificate}, {@code key}, and the keys of a replica. Problems are the
     * section's.
     */
    static Target target(Settings entry, String name, Map<String, String> environment) {
        String text = entry.text("url");
        URI url = url(text);
        if (url == null) {
            entry.problem("url", MUST_BE, "'" + text + "'");
            url = NOWHERE;
        }
        Map<String, String> named = new HashMap<>(environment);
        named.putIfAbsent("INFERWATCH_REPLICA", name);
        return new Target(
                url, ReplicaIdentity.of(entry, named), TargetTls.path(entry, "token-file"), TargetTls.of(entry));
    }

    /** A target that only its address is known of; its name is host and port. */
    static Target target(URI url, ReplicaIdentity identity) {
        return new Target(url, identity, Optional.empty(), TargetTls.SYSTEM);
    }
}
