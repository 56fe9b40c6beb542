/** Certificates and keys in PEM, for the ports that probes listen on and the servers they go to. */
@NullMarked
package io.inferwatch.probes.tls;

import org.jspecify.annotations.NullMarked;
