package io.inferwatch.notifier;

import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/** A notifier within this process, for local runs: what {@code inferwatch notifier} is elsewhere. */
public final class RunningNotifier implements AutoCloseable {
    private static final Duration STALE_AFTER = Duration.ofMinutes(3);

    private final Notifier notifier;
    private final Thread thread;

    private RunningNotifier(Notifier notifier) {
        this.notifier = notifier;
        thread = new Thread(notifier::run, "notifier");
        thread.setDaemon(true);
    }

    /**
     * Starts one; throws Kafka's exception where it does not answer.
     *
     * @param resend how often what fires is told again
     * @param dashboards address of the page that alerts link to
     */
    public static RunningNotifier start(String bootstrapServers, URI alertmanager, Duration resend, URI dashboards) {
        Properties kafka = new Properties();
        kafka.put("bootstrap.servers", bootstrapServers);
        kafka.put("enable.auto.commit", "false");
        Notifier notifier = new Notifier(
                new NotifierOptions.Checked(
                        List.of(alertmanager),
                        Optional.empty(),
                        resend,
                        STALE_AFTER,
                        new NoticeWriter(Optional.of(dashboards), Optional.empty()),
                        kafka),
                InstantSource.system());
        notifier.start();
        RunningNotifier running = new RunningNotifier(notifier);
        running.thread.start();
        return running;
    }

    /** What it was told of goes on firing in Alertmanager for four times {@code resend}. */
    @Override
    public void close() {
        notifier.close();
        try {
            thread.join();
        } catch (InterruptedException e) {
            // A daemon that has been told to stop: whoever interrupts does not want to wait for it.
            Thread.currentThread().interrupt();
        }
    }
}
