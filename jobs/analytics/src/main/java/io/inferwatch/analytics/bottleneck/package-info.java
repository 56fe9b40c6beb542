/** What holds a device back: memory bandwidth, tensor cores, the links to host and neighbours, each for a share of the time. */
@NullMarked
package io.inferwatch.analytics.bottleneck;

import org.jspecify.annotations.NullMarked;
