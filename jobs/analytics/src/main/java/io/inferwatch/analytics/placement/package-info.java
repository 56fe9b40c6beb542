/** Processes beside the device that they compute on. */
@NullMarked
package io.inferwatch.analytics.placement;

import org.jspecify.annotations.NullMarked;
