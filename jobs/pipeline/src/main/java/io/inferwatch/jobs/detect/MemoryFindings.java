package io.inferwatch.jobs.detect;

import io.inferwatch.schemas.FigureResult;
import java.util.List;

/** What a minute tells of a subject's memory. */
record MemoryFindings(List<FigureResult> results, List<MemoryRisk> risks) {
    static final MemoryFindings NONE = new MemoryFindings(List.of(), List.of());
}
