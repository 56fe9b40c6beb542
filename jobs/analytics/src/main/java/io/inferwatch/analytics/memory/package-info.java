/** How much memory is wasted, how that goes on, and what would waste less. Each number is measured or estimated by its type. */
@NullMarked
package io.inferwatch.analytics.memory;

import org.jspecify.annotations.NullMarked;
