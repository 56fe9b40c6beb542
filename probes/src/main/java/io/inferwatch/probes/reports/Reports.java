package io.inferwatch.probes.reports;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.inferwatch.probes.admin.AdminServer;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.OperatorMetric;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The paths on a probe's admin port under which serving processes report of themselves: {@code /v1/operator-metrics}, {@code /v1/torch-memory},
 * {@code /v1/engine-steps}. What is good in a post of operator metrics is taken, what is not is answered with its place and the reason; a post without
 * anything good is a 400. Never waits for Kafka. Thread safe.
 */
public final class Reports {
    static final int MAX_REPORTS = 10_000;

    private static final int OK = 200;
    private static final int BAD_REQUEST = 400;

    private final EventPublisher publisher;
    private final KnownReporters reporters;
    private final InstantSource clock;
    private final OperatorReports operators;
    private final TorchMemoryReports torch = new TorchMemoryReports();
    private final EngineStepReports steps = new EngineStepReports();
    private final Counter taken;
    private final Counter refused;

    private Reports(
            EventPublisher publisher,
            Optional<ReplicaIdentity> watched,
            MetricCatalogue catalogue,
            PrometheusRegistry registry,
            InstantSource clock) {
        this.publisher = publisher;
        this.reporters = new KnownReporters(watched);
        this.clock = clock;
        this.operators = new OperatorReports(catalogue);
        this.taken = Counter.builder()
                .name("inferwatch_reports_taken_total")
                .help("Reports of serving processes that were taken")
                .labelNames("kind")
                .register(registry);
        this.refused = Counter.builder()
                .name("inferwatch_reports_refused_total")
                .help("Reports of serving processes that were refused")
                .labelNames("kind")
                .register(registry);
    }

    /**
     * What a probe takes by POST.
     *
     * @param watched the replica of reports that name none; a probe of several has none
     */
    public static AdminServer.Posts posts(
            EventPublisher publisher,
            Optional<ReplicaIdentity> watched,
            ReportSettings settings,
            PrometheusRegistry registry,
            InstantSource clock) {
        Reports reports = new Reports(publisher, watched, settings.catalogue(), registry, clock);
        return new AdminServer.Posts(
                Map.of(
                        "/v1/operator-metrics", (body, query) -> reports.operators(body),
                        "/v1/torch-memory", reports::torch,
                        "/v1/engine-steps", (body, query) -> reports.steps(body)),
                settings.token());
    }

    private AdminServer.Answer operators(byte[] body) {
        List<JsonNode> objects;
        try {
            objects = ReportFields.objects(body, MAX_REPORTS);
        } catch (BadReportException e) {
            return refusal("operator-metrics", e);
        }
        ObjectNode answer = ReportFields.JSON.createObjectNode();
        ArrayNode problems = ReportFields.JSON.createArrayNode();
        int good = 0;
        for (int i = 0; i < objects.size(); i++) {
            try {
                OperatorMetric event = operators.event(objects.get(i), reporters, nowMicros());
                // What the publisher drops, it counts.
                var unused = publisher.publish(Topic.OPERATORS, event.getReplica(), event);
                good++;
            } catch (BadReportException e) {
                problems.addObject().put("index", i).put("problem", e.getMessage());
            }
        }
        taken.labelValues("operator-metrics").inc(good);
        refused.labelValues("operator-metrics").inc(problems.size());
        answer.put("accepted", good);
        if (!problems.isEmpty()) {
            answer.set("refused", problems);
        }
        return new AdminServer.Answer(good == 0 && !problems.isEmpty() ? BAD_REQUEST : OK, answer.toString());
    }

    private AdminServer.Answer torch(byte[] body, Map<String, String> query) {
        try {
            List<JsonNode> objects = ReportFields.objects(body, 1);
            if (objects.isEmpty()) {
                throw new BadReportException("body: must be what torch.cuda.memory_stats() gives, found an empty list");
            }
            GpuSample sample = torch.sample(objects.get(0), query, reporters, nowMicros());
            var unused = publisher.publish(Topic.GPU, sample.getGpu(), sample);
            return accepted("torch-memory", 1);
        } catch (BadReportException e) {
            return refusal("torch-memory", e);
        }
    }

    private AdminServer.Answer steps(byte[] body) {
        try {
            List<JsonNode> objects = ReportFields.objects(body, MAX_REPORTS);
            EngineSample sample = steps.sample(objects, reporters, nowMicros());
            var unused = publisher.publish(Topic.ENGINE, sample.getReplica(), sample);
            return accepted("engine-steps", objects.size());
        } catch (BadReportException e) {
            return refusal("engine-steps", e);
        }
    }

    private AdminServer.Answer accepted(String kind, int reports) {
        taken.labelValues(kind).inc(reports);
        return new AdminServer.Answer(OK, "{\"accepted\":" + reports + "}");
    }

    private AdminServer.Answer refusal(String kind, BadReportException why) {
        refused.labelValues(kind).inc();
        return new AdminServer.Answer(
                BAD_REQUEST,
                ReportFields.JSON
                        .createObjectNode()
                        .put("error", why.getMessage())
                        .toString());
    }

    private long nowMicros() {
        return clock.millis() * 1_000;
    }
}
