/** How what is remembered of a series becomes bytes, which outlive a restart and an upgrade. */
@NullMarked
package io.inferwatch.analytics.state;

import org.jspecify.annotations.NullMarked;
