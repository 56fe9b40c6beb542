package io.inferwatch.jobs.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Map;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;

class HealthReporterTest {
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final HealthReporter reporter = new HealthReporter(() -> now);

    @Test
    void subtasksAreAddedUpAndRatesWorkedOut() {
        SimpleCounter first = new SimpleCounter();
        SimpleCounter second = new SimpleCounter();
        reporter.notifyOfAddedMetric(first, "requests_total", group("Inferwatch measure"));
        reporter.notifyOfAddedMetric(second, "requests_total", group("Inferwatch measure"));
        first.inc(100);
        second.inc(50);
        assertThat(reporter.read()).isEqualTo(Map.of("measure", Map.of("requests_total", 150.0)));

        now = now.plusSeconds(10);
        second.inc(200);
        assertThat(reporter.read().get("measure"))
                .isEqualTo(Map.of("requests_total", 350.0, "requests_per_second", 20.0));
    }

    @Test
    void aRestartGivesNoNegativeRate() {
        SimpleCounter before = new SimpleCounter();
        before.inc(100);
        reporter.notifyOfAddedMetric(before, "requests_total", group("Inferwatch measure"));
        reporter.read();
        reporter.notifyOfRemovedMetric(before, "requests_total", group("Inferwatch measure"));
        reporter.notifyOfAddedMetric(new SimpleCounter(), "requests_total", group("Inferwatch measure"));
        now = now.plusSeconds(10);
        assertThat(reporter.read().get("measure")).doesNotContainKey("requests_per_second");
    }

    @Test
    void aCheckpointAgesUntilTheNext() {
        long[] id = {1};
        reporter.notifyOfAddedMetric((Gauge<Long>) () -> id[0], "lastCompletedCheckpointId", group("Inferwatch store"));
        assertThat(reporter.read().get("store")).containsEntry("checkpoint_age_seconds", 0.0);
        now = now.plusSeconds(25);
        assertThat(reporter.read().get("store")).containsEntry("checkpoint_age_seconds", 25.0);
        id[0] = 2;
        assertThat(reporter.read().get("store")).containsEntry("checkpoint_age_seconds", 0.0);
    }

    @Test
    void otherJobsMetricsAndBrokenGaugesAreLeftOut() {
        reporter.notifyOfAddedMetric(new SimpleCounter(), "requests_total", group("Somebody else's job"));
        reporter.notifyOfAddedMetric(new SimpleCounter(), "numBytesOut", group("Inferwatch measure"));
        Gauge<Long> broken = () -> {
            throw new IllegalStateException("closed");
        };
        reporter.notifyOfAddedMetric(broken, "pendingRecords", group("Inferwatch measure"));
        reporter.notifyOfAddedMetric((Gauge<Double>) () -> Double.NaN, "missing_events", group("Inferwatch measure"));
        assertThat(reporter.read()).isEmpty();
    }

    private static MetricGroup group(String job) {
        return new UnregisteredMetricsGroup() {
            @Override
            public Map<String, String> getAllVariables() {
                return Map.of("<job_name>", job);
            }
        };
    }
}
