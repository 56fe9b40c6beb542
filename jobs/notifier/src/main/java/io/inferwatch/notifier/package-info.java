/** Keeps Alertmanager told of what fires, while the jobs run and while they do not. */
@NullMarked
package io.inferwatch.notifier;

import org.jspecify.annotations.NullMarked;
