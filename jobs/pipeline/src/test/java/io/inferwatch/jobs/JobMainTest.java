package io.inferwatch.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;

class JobMainTest {
    @Test
    void everyJobWithoutAnEndBuildsAGraphOfDefaultOptions() {
        Map<String, JobGraph> jobs = new TreeMap<>(JobMain.jobs());
        assertThat(jobs.remove("backfill").jobName()).isEqualTo("Inferwatch backfill");
        jobs.forEach((name, job) -> {
            StreamExecutionEnvironment environment =
                    StreamExecutionEnvironment.getExecutionEnvironment(JobDefaults.configuration());
            job.build(environment);
            assertThat(environment.getStreamGraph().getStreamNodes()).as(name).isNotEmpty();
            assertThat(job.jobName()).isEqualTo("Inferwatch " + name);
        });
    }

    @Test
    void argumentsAreCheckedBeforeAnythingRuns() {
        assertThatThrownBy(() -> JobMain.parse())
                .hasMessage("job: must be one of backfill, detect, measure, store, found nothing");
        assertThatThrownBy(() -> JobMain.parse("stor"))
                .hasMessage("job: must be one of backfill, detect, measure, store, found 'stor'");
        assertThatThrownBy(() -> JobMain.parse("measure", "--influxdb-url=http://x"))
                .hasMessageContaining("job measure: ")
                .hasMessageContaining("--influxdb-url");
        assertThatThrownBy(() -> JobMain.main(new String[] {"measure", "--settings=/nowhere/measure.yaml"}))
                .hasMessageContaining("/nowhere/measure.yaml");
    }

    @Test
    void aBackfillNeedsASpanOfTime() {
        assertThatThrownBy(() -> JobMain.main(new String[] {"backfill"}))
                .hasMessageContaining("--from: must be a time such as 2026-11-30T10:00:00Z, found nothing")
                .hasMessageContaining("--to: must be a time such as 2026-11-30T10:00:00Z, found nothing");
        assertThatThrownBy(() -> JobMain.main(
                        new String[] {"backfill", "--from=2026-11-30T10:00:00Z", "--to=2026-11-30T10:00:00Z"}))
                .hasMessageContaining("--to: must be after --from, found 2026-11-30T10:00:00Z");
        assertThatThrownBy(
                        () -> JobMain.main(new String[] {"backfill", "--from=yesterday", "--to=2026-11-30T10:00:00Z"}))
                .hasMessageContaining("found 'yesterday'");
    }

    @Test
    void aWarmStartNeedsADuration() {
        assertThatThrownBy(() -> JobMain.main(new String[] {"detect", "--warm-from=tuesday"}))
                .hasMessageContaining("--warm-from: must be a duration such as 3d, found 'tuesday'");
    }

    @Test
    void theClustersSettingsGoBeforeAllButWhatTheJobsAreWrittenFor() {
        Configuration cluster = new Configuration();
        cluster.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(7));
        cluster.set(PipelineOptions.OBJECT_REUSE, false);

        Configuration settings = JobMain.settings(cluster);

        assertThat(settings.containsKey(CheckpointingOptions.CHECKPOINTING_INTERVAL.key()))
                .isFalse();
        assertThat(settings.get(PipelineOptions.OBJECT_REUSE)).isTrue();
        assertThat(settings.get(PipelineOptions.AUTO_GENERATE_UIDS)).isFalse();
        assertThat(settings.get(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER)).isEqualTo(Integer.MAX_VALUE);
    }
}
