package io.inferwatch.probes.process;

import io.inferwatch.probes.admin.AdminServer;
import io.inferwatch.probes.admin.ListenAddress;
import io.inferwatch.probes.admin.PublisherMetrics;
import io.inferwatch.probes.admin.Readiness;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.probes.publish.KafkaOptions;
import io.inferwatch.probes.publish.KafkaPublisher;
import io.inferwatch.probes.publish.PublisherSettings;
import io.inferwatch.probes.publish.SpoolSettings;
import io.inferwatch.probes.reports.ReportOptions;
import io.inferwatch.probes.reports.Reports;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * What every probe's process has beside its work: a publisher with Kafka and spool, an admin port with what serving processes may report, and an end on Ctrl-C and
 * SIGTERM that publishes what waits. To be mixed into commands. Kafka need not be there.
 */
public final class ProbeProcess {
    private static final int STOP_SECONDS = 30;

    @Option(
            names = "--spool",
            paramLabel = "DIR",
            description = "Keeps events here while Kafka is away, up to 1 GiB. Default: in memory only.")
    private @Nullable Path spool;

    @Mixin
    private ReportOptions reportOptions = new ReportOptions();

    @Mixin
    private KafkaOptions kafkaOptions = new KafkaOptions();

    /** A probe's own work. */
    public interface Work<E extends Exception> {
        /**
         * Begins it; it is ready when this returns.
         *
         * @throws E when it cannot begin
         */
        Running start(EventPublisher publisher, PrometheusRegistry registry, Readiness readiness) throws E;
    }

    /** Ends the work, what is under way published. */
    public interface Ending extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Work that goes on by itself.
     *
     * @param ending ends it
     * @param greeting what it does, for the person who started it
     */
    public record Running(Ending ending, String greeting) {}

    /**
     * Runs the work until the process is stopped.
     *
     * @param name of the probe, first part of its streams' names
     * @param watched the one replica that the probe watches, if it is one
     * @throws E when the work cannot begin
     * @throws InvalidSettingsException when something given is wrong
     */
    @SuppressWarnings("try") // the work goes on by itself until it is closed
    public <E extends Exception> void run(
            String name, ListenAddress admin, Optional<ReplicaIdentity> watched, Work<E> work, PrintWriter out)
            throws E, InterruptedException {
        PublisherSettings publishing = PublisherSettings.of(instance(name), kafkaOptions.settings());
        if (spool != null) {
            publishing = publishing.withSpool(SpoolSettings.of(spool, SpoolSettings.DEFAULT_LIMIT_BYTES));
        }
        CountDownLatch stop = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        PrometheusRegistry registry = new PrometheusRegistry();
        Readiness readiness = new Readiness();
        try (KafkaPublisher publisher = new KafkaPublisher(publishing);
                AdminServer adminServer = AdminServer.start(
                        admin,
                        registry,
                        readiness,
                        Reports.posts(
                                publisher, watched, reportOptions.settings(), registry, InstantSource.system()))) {
            PublisherMetrics.register(publisher, registry);
            Running running = work.start(publisher, registry, readiness);
            try (Ending unused = running.ending) {
                Runtime.getRuntime()
                        .addShutdownHook(new Thread(() -> stop(stop, over), "inferwatch-probe-" + name + "-stop"));
                out.println(running.greeting + ", /metrics on port " + adminServer.port());
                out.flush();
                stop.await();
                readiness.unready("stopping");
            }
        } finally {
            over.countDown();
        }
    }

    /** Ctrl-C and SIGTERM: the process may go once what waits is published. */
    private static void stop(CountDownLatch stop, CountDownLatch over) {
        stop.countDown();
        try {
            var unused = over.await(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** New for every process, since its events are numbered from 0. */
    private static String instance(String name) {
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            host = "unknown-host";
        }
        return name + "-" + host + "-" + UUID.randomUUID().toString().substring(0, 8);
    }
}
