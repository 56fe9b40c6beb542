/** Did it change, by more than matters, and could anybody have seen it: tests between windows, verdicts, and what keeps them quiet. */
@NullMarked
package io.inferwatch.analytics.drift;

import org.jspecify.annotations.NullMarked;
