/** The live demo: simulated servers behind measuring proxies under the load of a real trace, and a fault that one of them gets. */
@NullMarked
package io.inferwatch.local.live;

import org.jspecify.annotations.NullMarked;
