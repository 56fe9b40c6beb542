/** Is it the server or the traffic: changes with the mix of requests held fast, and what part of a change is the mix. */
@NullMarked
package io.inferwatch.analytics.mix;

import org.jspecify.annotations.NullMarked;
