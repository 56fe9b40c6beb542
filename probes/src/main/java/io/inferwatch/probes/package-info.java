/** The probes' common command. */
@NullMarked
package io.inferwatch.probes;

import org.jspecify.annotations.NullMarked;
