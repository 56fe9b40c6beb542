package io.inferwatch.probes.engine;

import io.inferwatch.probes.identity.ReplicaIdentity;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A page to scrape.
 *
 * @param url where it is, with its path
 * @param identity whose page it is
 * @param token file with what is sent as bearer token
 */
public record Target(URI url, ReplicaIdentity identity, Optional<Path> token, TargetTls tls) {
    /** The stable slot whose samples come from here. */
    public String replica() {
        return identity.replica();
    }
}
