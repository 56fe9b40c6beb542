package io.inferwatch.probes.corpus;

import java.util.List;

/**
 * What a snapshot says of itself.
 *
 * @param number from 1, rising
 * @param createdAt ISO 8601
 * @param sha256 over the prompts' file
 * @param vocabulary by which tokens were counted
 * @param cleaning how prompts were cleaned, by what their cleaning depends on
 */
record Manifest(
        int number,
        String createdAt,
        String sha256,
        String vocabulary,
        String cleaning,
        List<String> regions,
        List<SourceFile> sources,
        Counts counts,
        Quality quality) {
    /** A file from which prompts came. */
    record SourceFile(String path, String sha256, long prompts) {}

    Manifest {
        regions = List.copyOf(regions);
        sources = List.copyOf(sources);
    }
}
