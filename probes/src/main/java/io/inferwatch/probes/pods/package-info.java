/** Which pods of this node hold which devices, asked of its kubelet. */
@NullMarked
package io.inferwatch.probes.pods;

import org.jspecify.annotations.NullMarked;
