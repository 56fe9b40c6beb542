/** Is a promise kept: objectives, error budgets and how fast they burn, and limits that hold from a load on. */
@NullMarked
package io.inferwatch.analytics.slo;

import org.jspecify.annotations.NullMarked;
