package io.inferwatch.local;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code inferwatch up}: Kafka, InfluxDB and the jobs on this machine, waiting for probes, until Ctrl-C. */
@Command(
        name = "up",
        mixinStandardHelpOptions = true,
        description = "Starts Kafka, InfluxDB and the jobs on this machine for probes to report to, until Ctrl-C.",
        footer = StackOptions.INFLUX_FOOTER)
final class UpCommand implements Callable<Integer> {
    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private final StackOptions options = new StackOptions();

    @Option(
            names = "--kafka-port",
            paramLabel = "PORT",
            defaultValue = "9092",
            description = "Port of Kafka on loopback; 0 is a free one. Default: ${DEFAULT-VALUE}.")
    private int kafkaPort;

    @Option(
            names = "--influxdb-port",
            paramLabel = "PORT",
            defaultValue = "8086",
            description = "Port of an InfluxDB that is started here; 0 is a free one. Default: ${DEFAULT-VALUE}.")
    private int influxPort;

    @Option(
            names = "--ui-port",
            paramLabel = "PORT",
            defaultValue = "8081",
            description = "Port of Flink's web UI on loopback; 0 is a free one. Default: ${DEFAULT-VALUE}.")
    private int uiPort;

    @Option(
            names = "--page-port",
            paramLabel = "PORT",
            defaultValue = "8088",
            description =
                    "Port of the page with the dashboards on loopback; 0 is a free one. Default: ${DEFAULT-VALUE}.")
    private int pagePort;

    @Override
    public Integer call() throws InterruptedException {
        LocalStack.Options stackOptions = options.stack().withPorts(kafkaPort, influxPort, uiPort, pagePort);
        Path data = stackOptions.data();
        CommandLine commandLine = Objects.requireNonNull(spec).commandLine();
        PrintWriter out = commandLine.getOut();
        return Foreground.run(commandLine, data, log -> {
            try (LocalStack stack = LocalStack.start(stackOptions, step -> {
                out.println(step);
                out.flush();
            })) {
                String kafka = stack.kafka().bootstrapServers();
                out.println();
                out.println("  page      " + stack.page());
                out.println("  Flink     " + stack.flink().url());
                out.println("  InfluxDB  " + stack.influx().url() + ", database "
                        + stack.influx().database());
                out.println("  Kafka     " + kafka);
                out.println("  data      " + data);
                out.println("  log       " + log);
                out.println();
                out.println("Point probes at it:     --bootstrap-servers " + kafka);
                out.println(
                        "Recorded requests:      inferwatch replay FILE --format FORMAT --bootstrap-servers " + kafka);
                out.println("What arrives, as JSON:  inferwatch events tail inferwatch.requests --bootstrap-servers "
                        + kafka);
                out.println("Quantiles of a period:  inferwatch report quantiles --metric ttft --q 0.5,0.99 --by model"
                        + " --influxdb-url " + stack.influx().url());
                out.println();
                out.println("Ctrl-C stops everything; the data stay.");
                out.flush();
                new CountDownLatch(1).await();
                return 0;
            }
        });
    }
}
