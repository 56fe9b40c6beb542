package io.inferwatch.probes.reports;

import com.fasterxml.jackson.databind.JsonNode;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.schemas.EngineSample;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An engine's steps and captures of CUDA graphs as its process reports them: one object a step, with requests, tokens, duration_us, graph (whether it ran as a
 * CUDA graph) and capture ({@code captured} or {@code failed}, where the step tried to capture one); all but one of these may be missing. The steps of a post
 * become one sample of the replica.
 */
final class EngineStepReports {
    private static final Set<String> KEYS = Set.of("requests", "tokens", "duration_us", "graph", "capture", "replica");

    /** Steps of half a minute: beyond it nobody asks for microseconds, and a double would not hold them. */
    private static final double MAX_SQUARES = 1e15;

    private final Map<String, GrowingTotals> totals = new HashMap<>();
    private final Map<String, Long> lastAtMicros = new HashMap<>();

    /** What the steps of one post add up to. */
    private static final class Added {
        private final QuantileSketch durationNanos = new QuantileSketch();
        private final QuantileSketch requests = new QuantileSketch();
        private double squareMicros;
        private long steps;
        private long tokens;
        private long graphSteps;
        private long eagerSteps;
        private long captures;
        private long captureFailures;
        private long lastTokens;
        private boolean hasTokens;
        private boolean hasGraph;
        private boolean hasCapture;
    }

    /** The sample of the steps of one replica. */
    synchronized EngineSample sample(List<JsonNode> steps, KnownReporters reporters, long nowMicros)
            throws BadReportException {
        Reporter reporter = null;
        Added added = new Added();
        for (JsonNode step : steps) {
            ReportFields fields = ReportFields.of(step, KEYS);
            Reporter its = reporters.reporter(fields.text("replica"));
            if (reporter != null && !its.replica().equals(reporter.replica())) {
                throw new BadReportException("replica: must be the same for all steps of a post, found '"
                        + reporter.replica() + "' and '" + its.replica() + "'");
            }
            reporter = its;
            add(fields, added);
        }
        if (reporter == null) {
            throw new BadReportException("body: must be at least one step, found none");
        }
        return sample(reporter, added, nowMicros);
    }

    private static void add(ReportFields fields, Added added) throws BadReportException {
        Long requests = fields.whole("requests");
        Long tokens = fields.whole("tokens");
        Long durationMicros = fields.whole("duration_us");
        Boolean graph = fields.flag("graph");
        String capture = fields.text("capture");
        if (requests == null && tokens == null && durationMicros == null && graph == null && capture == null) {
            throw new BadReportException("step: must say something of requests, tokens, duration_us, graph or capture");
        }
        if (capture != null && !capture.equals("captured") && !capture.equals("failed")) {
            throw new BadReportException("capture: must be captured or failed, found '" + capture + "'");
        }
        added.steps++;
        if (requests != null) {
            added.requests.add(requests);
        }
        if (tokens != null) {
            added.hasTokens = true;
            added.tokens += tokens;
            added.lastTokens = tokens;
        }
        if (durationMicros != null) {
            added.durationNanos.add(Math.multiplyExact(durationMicros, 1_000L));
            double micros = durationMicros;
            added.squareMicros += micros * micros;
        }
        if (graph != null) {
            added.hasGraph = true;
            added.graphSteps += graph ? 1 : 0;
            added.eagerSteps += graph ? 0 : 1;
        }
        if (capture != null) {
            added.hasCapture = true;
            added.captures++;
            added.captureFailures += capture.equals("failed") ? 1 : 0;
        }
    }

    private EngineSample sample(Reporter reporter, Added added, long nowMicros) {
        GrowingTotals own = totals.computeIfAbsent(reporter.replica(), replica -> new GrowingTotals());
        EngineSample sample = new EngineSample();
        sample.setSampledAtMicros(nowMicros);
        Long before = lastAtMicros.put(reporter.replica(), nowMicros);
        sample.setIntervalMicros(before == null ? 0 : nowMicros - before);
        sample.setReplica(reporter.replica());
        sample.setMapping("reported");
        sample.setMarks(List.of());
        sample.setAgesMicros(Map.of());
        sample.setRunningAdapters(List.of());
        sample.setWaitingAdapters(List.of());
        sample.setHistograms(List.of());
        sample.setStepsTotal(own.add("steps", added.steps));
        if (added.hasTokens) {
            sample.setStepTokensTotal(own.add("tokens", added.tokens));
            sample.setBatchTokens(added.lastTokens);
        }
        if (added.hasGraph) {
            sample.setGraphStepsTotal(own.add("graph", added.graphSteps));
            sample.setEagerStepsTotal(own.add("eager", added.eagerSteps));
        }
        if (added.hasCapture) {
            sample.setGraphCapturesTotal(own.add("captures", added.captures));
            sample.setGraphCaptureFailuresTotal(own.add("failures", added.captureFailures));
        }
        if (added.durationNanos.n() > 0) {
            sample.setStepSketch(ByteBuffer.wrap(SketchEncoding.encode(added.durationNanos)));
            if (added.squareMicros <= MAX_SQUARES) {
                sample.setStepSquares((long) added.squareMicros);
            }
        }
        if (added.requests.n() > 0) {
            sample.setBatchSketch(ByteBuffer.wrap(SketchEncoding.encode(added.requests)));
        }
        reporter.known().ifPresent(identity -> identity.place(sample));
        if (reporter.known().isEmpty()) {
            sample.setGpuUuids(List.of());
            sample.setConfiguration(Map.of());
        }
        return sample;
    }
}
