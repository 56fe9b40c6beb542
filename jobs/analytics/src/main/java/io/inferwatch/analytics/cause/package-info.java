/** What a breach most likely comes from: ranked, with evidence, and with the share that the data do not explain. */
@NullMarked
package io.inferwatch.analytics.cause;

import org.jspecify.annotations.NullMarked;
