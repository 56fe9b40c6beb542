/** Jobs on a Flink cluster that runs elsewhere: submit, upgrade and savepoint over its REST interface. */
@NullMarked
package io.inferwatch.local.remote;

import org.jspecify.annotations.NullMarked;
