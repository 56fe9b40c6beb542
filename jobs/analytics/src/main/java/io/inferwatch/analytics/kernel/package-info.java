/** Kernels and stages of imported profiles: caches by the mix of precisions, and how far those who timed them disagree. */
@NullMarked
package io.inferwatch.analytics.kernel;

import org.jspecify.annotations.NullMarked;
