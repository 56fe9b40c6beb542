/**
 * Regressions over replicas that are observed window after window: each is compared with itself alone, and errors hold however its windows
 * hang together.
 */
@NullMarked
package io.inferwatch.analytics.panel;

import org.jspecify.annotations.NullMarked;
