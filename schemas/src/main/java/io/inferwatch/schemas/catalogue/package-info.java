/** The metric catalogue: which metrics are kept, for which views, within which limits. */
@NullMarked
package io.inferwatch.schemas.catalogue;

import org.jspecify.annotations.NullMarked;
