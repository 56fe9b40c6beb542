/** Objectives as users write them: OpenSLO v1, checked as a whole. */
@NullMarked
package io.inferwatch.schemas.slo;

import org.jspecify.annotations.NullMarked;
