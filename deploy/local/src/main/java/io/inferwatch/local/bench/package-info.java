/** Benches: what the jobs cost and how late their results are, measured on this machine. */
@NullMarked
package io.inferwatch.local.bench;

import org.jspecify.annotations.NullMarked;
