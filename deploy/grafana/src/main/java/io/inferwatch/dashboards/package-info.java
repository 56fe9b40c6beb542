/**
 * Grafana dashboards: a typed source, whose measurements and fields come from those of the jobs, and the JSON that is made of it. The JSON is
 * committed and on the class path; Grafana and the viewer show the same files.
 */
@NullMarked
package io.inferwatch.dashboards;

import org.jspecify.annotations.NullMarked;
