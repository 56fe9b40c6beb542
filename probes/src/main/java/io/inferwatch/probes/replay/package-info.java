/** Recorded requests of other tools' files to events, as if they happened now: read, placed, timed, published exactly once. */
@NullMarked
package io.inferwatch.probes.replay;

import org.jspecify.annotations.NullMarked;
