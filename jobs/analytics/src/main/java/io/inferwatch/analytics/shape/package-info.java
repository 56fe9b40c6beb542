/** The shape of work: spread of times, shares of a sum, growth with length, joint use. Each figure with its 95 % confidence limits. */
@NullMarked
package io.inferwatch.analytics.shape;

import org.jspecify.annotations.NullMarked;
