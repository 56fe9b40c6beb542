/** What serving costs: by token and by request, on which device least, and what of it was for nothing. */
@NullMarked
package io.inferwatch.analytics.cost;

import org.jspecify.annotations.NullMarked;
