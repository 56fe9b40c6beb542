package io.inferwatch.local.remote;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FlinkRestTest {
    @Test
    void aProgramsOwnWordsGoBeforeEverythingAroundThem() {
        String trace = """
            org.apache.flink.runtime.rest.handler.RestHandlerException: Could not execute application.
            \tat org.apache.flink.runtime.webmonitor.handlers.JarRunHandler.lambda$handleRequest$1(JarRunHandler.java:114)
            Caused by: org.apache.flink.client.program.ProgramInvocationException: The main method caused an error: /etc/inferwatch/measure.yaml:
              lateness: must be a duration between 0s and 1h such as 10s, found 'x'
              lateness2: unknown key
            \tat org.apache.flink.client.program.PackagedProgram.callMainMethod(PackagedProgram.java:373)
            Caused by: io.inferwatch.schemas.settings.InvalidSettingsException: /etc/inferwatch/measure.yaml:
            \tat io.inferwatch.jobs.JobMain.main(JobMain.java:70)
            """;
        assertThat(FlinkRest.reason(trace)).isEqualTo("""
            /etc/inferwatch/measure.yaml:
              lateness: must be a duration between 0s and 1h such as 10s, found 'x'
              lateness2: unknown key\
            """);
    }

    @Test
    void otherwiseTheInnermostCauseIsTheReason() {
        assertThat(FlinkRest.reason("""
            java.util.concurrent.CompletionException: outer
            \tat A.b(A.java:1)
            Caused by: java.lang.RuntimeException: middle
            Caused by: java.io.FileNotFoundException: s3://bucket/savepoint-1/_metadata
            \t... 3 more
            """)).isEqualTo("java.io.FileNotFoundException: s3://bucket/savepoint-1/_metadata");
        assertThat(FlinkRest.reason("Job is not running.")).isEqualTo("Job is not running.");
        assertThat(FlinkRest.reason("")).isEqualTo("no reason given");
    }
}
