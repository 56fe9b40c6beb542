package io.inferwatch.probes.kernels;

import io.inferwatch.schemas.Profiler;
import java.nio.file.Path;
import java.util.function.Consumer;

/** A format of profiles. */
enum ProfileFormat {
    /** CSV of {@code ncu --csv}, by the page {@code details} or {@code raw}. */
    NCU(Profiler.NSIGHT_COMPUTE),
    /** Trace of {@code torch.profiler}'s {@code export_chrome_trace}. */
    KINETO(Profiler.KINETO),
    /** JSON lines of a program's own CUDA-event timers. */
    TIMERS(Profiler.CUDA_EVENTS);

    private final Profiler profiler;

    ProfileFormat(Profiler profiler) {
        this.profiler = profiler;
    }

    Profiler profiler() {
        return profiler;
    }

    /**
     * Hands on the calls of a file.
     *
     * @throws BadProfileException when it does not follow the format
     */
    void read(Path file, Consumer<KernelCall> calls) {
        switch (this) {
            case NCU -> NsightComputeReader.read(file, calls);
            case KINETO -> KinetoReader.read(file, calls);
            case TIMERS -> TimerLinesReader.read(file, calls);
        }
    }
}
