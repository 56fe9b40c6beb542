/** Do tenants disturb each other: how restless each one's latency is, and what the others' load does to it. */
@NullMarked
package io.inferwatch.analytics.tenant;

import org.jspecify.annotations.NullMarked;
