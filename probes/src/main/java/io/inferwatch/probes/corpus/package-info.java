/** Prompts to load servers with: collected from files, rid of what tells of people, kept as snapshots that never change. */
@NullMarked
package io.inferwatch.probes.corpus;

import org.jspecify.annotations.NullMarked;
