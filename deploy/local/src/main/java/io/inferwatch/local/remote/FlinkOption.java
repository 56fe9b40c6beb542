package io.inferwatch.local.remote;

import picocli.CommandLine.Option;

/** The option that names a cluster; to be mixed in. */
final class FlinkOption {
    @Option(
            names = "--flink",
            paramLabel = "URL",
            defaultValue = "http://localhost:8081",
            description = "REST interface of a Flink session cluster. Default: ${DEFAULT-VALUE}.")
    private String url = "";

    FlinkRest connect() throws InterruptedException {
        return FlinkRest.connect(url);
    }
}
