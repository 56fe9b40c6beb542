/** What every probe tells about itself over HTTP: counters, whether it lives, whether it is ready. */
@NullMarked
package io.inferwatch.probes.admin;

import org.jspecify.annotations.NullMarked;
