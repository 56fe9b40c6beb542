/** From windows to verdicts: drift of each series from its own past, comparisons between series, and figures of groups of them. */
@NullMarked
package io.inferwatch.jobs.detect;

import org.jspecify.annotations.NullMarked;
