/** A page on loopback that draws the dashboards' own JSON from InfluxDB, without Grafana. */
@NullMarked
package io.inferwatch.viewer;

import org.jspecify.annotations.NullMarked;
