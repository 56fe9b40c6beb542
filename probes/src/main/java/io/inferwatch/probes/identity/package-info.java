/** Who asked, what for and where it ran: read from headers, rules and the environment; hashed where it could name people. */
@NullMarked
package io.inferwatch.probes.identity;

import org.jspecify.annotations.NullMarked;
