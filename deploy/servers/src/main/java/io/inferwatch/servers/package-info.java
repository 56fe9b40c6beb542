/** Real servers as child processes, for the local run and the tests: data directory in, address out, and none outlives its parent. */
@NullMarked
package io.inferwatch.servers;

import org.jspecify.annotations.NullMarked;
