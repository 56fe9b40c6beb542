/** The one way that all alerts go, whoever raised them. */
@NullMarked
package io.inferwatch.jobs.alert;

import org.jspecify.annotations.NullMarked;
