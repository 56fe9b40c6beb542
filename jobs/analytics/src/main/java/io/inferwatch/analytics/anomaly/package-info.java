/** Is a series as it was wont to be: channels that see different kinds of change, what makes of them one state, and how replicas are held against each other. */
@NullMarked
package io.inferwatch.analytics.anomaly;

import org.jspecify.annotations.NullMarked;
