/** What engines and GPU exporters say of themselves on their pages of metrics: scraped, understood by a versioned table, and published as samples. */
@NullMarked
package io.inferwatch.probes.engine;

import org.jspecify.annotations.NullMarked;
