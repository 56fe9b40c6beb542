/** Units that share a device (text, image, audio): how often they are busy at once, and what time that costs them. */
@NullMarked
package io.inferwatch.analytics.contention;

import org.jspecify.annotations.NullMarked;
