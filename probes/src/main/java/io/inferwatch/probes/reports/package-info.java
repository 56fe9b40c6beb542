/** What serving processes report of themselves by POST: operator metrics, the allocator's statistics, the engine's steps. */
@NullMarked
package io.inferwatch.probes.reports;

import org.jspecify.annotations.NullMarked;
