package io.inferwatch.servers;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What runs in the broker's JVM: formats the data directory where that is still to be done, then serves until it is told to end. */
final class BrokerProcess {
    /** One fixed cluster: a data directory always fits the broker that is started on it. */
    private static final String CLUSTER_ID = "aW5mZXJ3YXRjaC1sb2NhbA";

    private static final Logger LOG = LoggerFactory.getLogger(BrokerProcess.class);

    private BrokerProcess() {}

    public static void main(String[] args) throws Exception {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(Path.of(args[0]), StandardCharsets.UTF_8)) {
            properties.load(reader);
        }
        format(properties.getProperty("log.dirs"));
        KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(properties), Time.SYSTEM);
        try {
            server.startup();
        } catch (Exception e) {
            LOG.error("the broker cannot start", e);
            // Threads of its half-started parts would keep the process alive.
            Runtime.getRuntime().halt(1);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown, "shutdown"));
        server.awaitShutdown();
    }

    private static void format(String directory) throws Exception {
        try (PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8)) {
            new Formatter()
                    .setPrintStream(nowhere)
                    .setNodeId(KafkaBroker.NODE_ID)
                    .setClusterId(CLUSTER_ID)
                    .setControllerListenerName("CONTROLLER")
                    .setMetadataLogDirectory(directory)
                    .setDirectories(List.of(directory))
                    .setIgnoreFormatted(true)
                    .run();
        } catch (IOException e) {
            throw new IOException("data directory " + directory + " cannot be formatted", e);
        }
    }
}
