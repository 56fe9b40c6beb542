/** Which commit or configuration changed a series of runs: change points, the commits that may have made them, and gates for new versions. */
@NullMarked
package io.inferwatch.analytics.change;

import org.jspecify.annotations.NullMarked;
