/** The Flink jobs: each one's graph in one method that takes its sources and sinks and reads top to bottom like the drawing. */
@NullMarked
package io.inferwatch.jobs;

import org.jspecify.annotations.NullMarked;
