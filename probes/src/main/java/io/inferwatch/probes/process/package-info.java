/** The process that a probe is: a publisher, an admin port, an orderly end. */
@NullMarked
package io.inferwatch.probes.process;

import org.jspecify.annotations.NullMarked;
