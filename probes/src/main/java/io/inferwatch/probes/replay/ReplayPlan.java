package io.inferwatch.probes.replay;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A trace with its times fixed, and with what an earlier process already brought to Kafka. The same files, options and event times give the
 * same {@link #instance()}, and a row has the same number in its stream whenever it is sent; so an event that is sent twice is known as one.
 * A replay at another time has other event times, hence other events and another instance.
 */
public final class ReplayPlan {
    private final Trace trace;
    private final Timeline timeline;
    private final Map<String, String> replay;
    private final Map<String, Long> acknowledged;
    private final Optional<ResumeFile> resumeFile;

    private ReplayPlan(
            Trace trace,
            Timeline timeline,
            Map<String, String> replay,
            Map<String, Long> acknowledged,
            Optional<ResumeFile> resumeFile) {
        this.trace = trace;
        this.timeline = timeline;
        this.replay = replay;
        this.acknowledged = acknowledged;
        this.resumeFile = resumeFile;
    }

    /**
     * A replay that begins now, or goes on as the resume file says, at the times that were fixed when it began.
     *
     * @param resumeFile kept up to date while the replay runs
     * @throws BadTraceException when the resume file belongs to another replay, or the end would lie in the future
     */
    public static ReplayPlan of(Trace trace, ReplayTiming timing, Optional<Path> resumeFile, InstantSource clock) {
        Map<String, String> replay = new TreeMap<>(trace.identity());
        replay.put(
                "speedup",
                timing.speedup().isEmpty()
                        ? "max"
                        : Double.toString(timing.speedup().getAsDouble()));
        replay.put("compress", Double.toString(timing.effectiveCompress()));
        timing.end().ifPresent(end -> replay.put("end", end.toString()));

        Optional<ResumeFile> file = resumeFile.map(ResumeFile::new);
        Optional<ResumeFile.State> earlier = file.flatMap(present -> present.load(replay));
        long first = trace.completedMicros(0);
        long last = trace.completedMicros(trace.size() - 1);
        long wallStart =
                earlier.map(ResumeFile.State::wallStartMicros).orElseGet(() -> Timeline.micros(clock.instant()));
        long wallEnd = timing.speedup().isEmpty()
                ? wallStart
                : wallStart + Math.round((last - first) / timing.speedup().getAsDouble());
        long end = earlier.map(ResumeFile.State::endMicros)
                .orElseGet(() -> timing.end().map(Timeline::micros).orElse(wallEnd));
        if (end > wallEnd) {
            throw new BadTraceException("end: must not be after the replay's own end at " + Timeline.instant(wallEnd)
                    + ", found " + Timeline.instant(end) + "; else events would lie in the future");
        }
        return new ReplayPlan(
                trace,
                new Timeline(first, last, wallStart, end, timing.speedup(), timing.effectiveCompress()),
                replay,
                earlier.map(ResumeFile.State::acknowledged).orElse(Map.of()),
                file);
    }

    /** The publisher's instance: {@code replay-} and a digest of all that makes these events. */
    public String instance() {
        Map<String, String> identity = new TreeMap<>(trace.identity());
        identity.put("compress", Double.toString(timeline.compress()));
        identity.put("end-micros", Long.toString(timeline.endMicros()));
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(identity.toString().getBytes(StandardCharsets.UTF_8));
            return "replay-" + HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** How long sending takes at the given pace; nothing for as fast as possible. */
    public Optional<Duration> duration() {
        return timeline.speedup().isEmpty()
                ? Optional.empty()
                : Optional.of(Duration.between(
                        Timeline.instant(timeline.wallStartMicros()),
                        Timeline.instant(timeline.dueMicros(timeline.lastMicros()))));
    }

    /** The requests. */
    public Trace trace() {
        return trace;
    }

    Timeline timeline() {
        return timeline;
    }

    /** For each replica, the number below which events need not be sent again. */
    Map<String, Long> acknowledged() {
        return acknowledged;
    }

    /** Notes how far the replay has come. */
    void save(Map<String, Long> nowAcknowledged) {
        resumeFile.ifPresent(file -> file.save(
                new ResumeFile.State(replay, timeline.wallStartMicros(), timeline.endMicros(), nowAcknowledged)));
    }
}
