/** YAML settings, read strictly: every problem of a file is found and reported at once. */
@NullMarked
package io.inferwatch.schemas.settings;

import org.jspecify.annotations.NullMarked;
