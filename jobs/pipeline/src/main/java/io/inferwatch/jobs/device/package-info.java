/** What samples say together and no single reading does, minute by minute: what holds a device back, and whether its processes run near it. */
@NullMarked
package io.inferwatch.jobs.device;

import org.jspecify.annotations.NullMarked;
