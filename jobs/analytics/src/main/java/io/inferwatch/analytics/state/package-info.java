/** The bytes in which histories are kept between two windows. */
@NullMarked
package io.inferwatch.analytics.state;

import org.jspecify.annotations.NullMarked;
