/** Rows to windows: cells in panes, fanned out to the catalogue's views, admitted within limits, rolled up to minutes and hours. */
@NullMarked
package io.inferwatch.jobs.window;

import org.jspecify.annotations.NullMarked;
