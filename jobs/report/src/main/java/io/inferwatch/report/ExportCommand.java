package io.inferwatch.report;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.inferwatch.influx.InfluxClient;
import io.inferwatch.influx.InfluxConfigurationException;
import io.inferwatch.influx.InfluxOptions;
import io.inferwatch.influx.InfluxQueryException;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxUnavailableException;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code inferwatch export}: the last windows as OpenMetrics on loopback, asked of InfluxDB at each scrape, until Ctrl-C. */
@Command(
        name = "export",
        description =
                "Serves quantiles and distributions of the last minute to Prometheus, as OpenMetrics at /metrics, until Ctrl-C.",
        mixinStandardHelpOptions = true)
public final class ExportCommand implements Callable<Integer> {
    private static final int BAD_INPUT = 2;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "Port on loopback; 0 is a free one. Default: ${DEFAULT-VALUE}",
            defaultValue = "9466")
    private int port;

    @Option(
            names = "--view",
            split = ",",
            paramLabel = "VIEW",
            description = "Views whose series are told. Default: ${DEFAULT-VALUE}",
            defaultValue = "fleet,model-version")
    private List<String> views = List.of();

    @Option(
            names = "--catalogue",
            paramLabel = "FILE",
            description = "Metric catalogue of the jobs. Default: the one that is shipped")
    private @Nullable Path catalogue;

    @Mixin
    private final InfluxOptions influxdb = new InfluxOptions();

    @Spec
    private @Nullable CommandSpec spec;

    private final InstantSource clock = InstantSource.system();

    @Override
    public Integer call() throws InterruptedException {
        if (spec == null) {
            throw new IllegalStateException("the command was not made by picocli");
        }
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        try (InfluxClient client = InfluxClient.open(influxdb.connection())) {
            MetricCatalogue metrics = catalogue == null ? MetricCatalogue.shipped() : MetricCatalogue.read(catalogue);
            LatestWindows windows = new LatestWindows(metrics, views, new InfluxReader(client));
            HttpServer server = serve(windows);
            try {
                out.println("http://127.0.0.1:" + server.getAddress().getPort() + "/metrics");
                out.flush();
                new CountDownLatch(1).await();
                return 0;
            } finally {
                server.stop(0);
            }
        } catch (InvalidRequestException | InvalidSettingsException | InfluxConfigurationException e) {
            err.println(e.getMessage());
            err.flush();
            return BAD_INPUT;
        }
    }

    private HttpServer serve(LatestWindows windows) {
        if (port < 0 || port > 65_535) {
            throw new InvalidRequestException("--port: must be from 0 to 65535, found " + port);
        }
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
            server.createContext("/metrics", exchange -> answer(exchange, windows));
            server.start();
            return server;
        } catch (IOException e) {
            throw new InvalidRequestException("--port: must be free, found " + port + ": " + e.getMessage());
        }
    }

    /** A store that is down is a failed scrape, which Prometheus shows as up = 0. */
    private void answer(HttpExchange exchange, LatestWindows windows) throws IOException {
        try (exchange) {
            OpenMetricsTextFormatWriter writer = OpenMetricsTextFormatWriter.create();
            int status = 200;
            byte[] body;
            try {
                ByteArrayOutputStream text = new ByteArrayOutputStream();
                writer.write(text, windows.at(clock.instant()));
                body = text.toByteArray();
                exchange.getResponseHeaders().set("Content-Type", writer.getContentType());
            } catch (InfluxUnavailableException | InfluxQueryException | InfluxConfigurationException e) {
                status = 503;
                body = String.valueOf(e.getMessage()).getBytes(StandardCharsets.UTF_8);
            }
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }
}
