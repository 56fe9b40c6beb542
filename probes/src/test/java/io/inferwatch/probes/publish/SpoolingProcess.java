package io.inferwatch.probes.publish;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Publishes for ever to a broker that is away, until it is killed; a file grows by one byte for each event known to be in the spool. */
final class SpoolingProcess {
    private SpoolingProcess() {}

    public static void main(String[] arguments) throws Exception {
        PublisherSettings settings = PublisherSettings.of(arguments[3], KafkaSettings.of(arguments[0]))
                .withSpool(SpoolSettings.of(Path.of(arguments[1]), 64 << 20));
        try (KafkaPublisher publisher = new KafkaPublisher(settings);
                OutputStream count = Files.newOutputStream(Path.of(arguments[2]))) {
            long known = 0;
            for (long row = 0; ; row++) {
                publisher.awaitRoom(Duration.ofSeconds(1));
                publisher.publish(Events.of("replica-0", row));
                long spooled = publisher.counters().spooled();
                if (spooled > known) {
                    count.write(new byte[(int) (spooled - known)]);
                    known = spooled;
                }
            }
        }
    }
}
