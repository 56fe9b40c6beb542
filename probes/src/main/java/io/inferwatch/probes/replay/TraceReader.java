package io.inferwatch.probes.replay;

import java.nio.file.Path;

/** Reads files of one format into rows. Not thread safe; one reader reads all files of a trace. */
interface TraceReader {
    /**
     * Adds the rows of a file.
     *
     * @throws BadTraceException when it does not follow the format
     */
    void read(Path file);

    /** Called once after the last file, for what needs to know all rows. */
    default void finish() {}
}
