package io.inferwatch.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;

class JobMainTest {
    @Test
    void everyJobBuildsAGraphOfDefaultOptions() {
        JobMain.jobs().forEach((name, job) -> {
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
                .hasMessage("job: must be one of detect, measure, store, found nothing");
        assertThatThrownBy(() -> JobMain.parse("stor"))
                .hasMessage("job: must be one of detect, measure, store, found 'stor'");
        assertThatThrownBy(() -> JobMain.parse("measure", "--influxdb-url=http://x"))
                .hasMessageContaining("job measure: ")
                .hasMessageContaining("--influxdb-url");
        assertThatThrownBy(() -> JobMain.main(new String[] {"measure", "--settings=/nowhere/measure.yaml"}))
                .hasMessageContaining("/nowhere/measure.yaml");
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
