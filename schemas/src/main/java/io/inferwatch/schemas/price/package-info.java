/** What devices cost. */
@NullMarked
package io.inferwatch.schemas.price;

import org.jspecify.annotations.NullMarked;
