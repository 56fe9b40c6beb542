package io.inferwatch.probes.load;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;

/**
 * How requests are sent.
 *
 * @param run id of the run
 * @param loops event loops, each of which can fill a core
 * @param sources addresses to connect from; empty for the system's choice
 * @param maxOpen conversations or single requests open at once
 * @param requestTimeout after which an answer no longer counts
 * @param drain how long open requests may go on after a stop
 * @param keepsChunks whether the time of every chunk is kept
 */
record LoadSettings(
        Target target,
        String run,
        int loops,
        List<InetAddress> sources,
        int maxOpen,
        Duration requestTimeout,
        Duration drain,
        boolean keepsChunks) {
    /** Two event loops, no limits but a timeout of ten minutes, nothing kept. */
    static LoadSettings of(Target target, String run) {
        return new LoadSettings(
                target, run, 2, List.of(), Integer.MAX_VALUE, Duration.ofMinutes(10), Duration.ofSeconds(30), false);
    }

    LoadSettings withMaxOpen(int limit) {
        return new LoadSettings(target, run, loops, sources, limit, requestTimeout, drain, keepsChunks);
    }

    LoadSettings withDrain(Duration limit) {
        return new LoadSettings(target, run, loops, sources, maxOpen, requestTimeout, limit, keepsChunks);
    }

    LoadSettings keepingChunks() {
        return new LoadSettings(target, run, loops, sources, maxOpen, requestTimeout, drain, true);
    }
}
