/** How far an engine's scheduler is from an ideal one, and lengths that provoke it. */
@NullMarked
package io.inferwatch.analytics.schedule;

import org.jspecify.annotations.NullMarked;
