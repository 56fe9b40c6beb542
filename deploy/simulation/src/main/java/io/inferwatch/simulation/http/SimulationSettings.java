package io.inferwatch.simulation.http;

import io.inferwatch.simulation.serving.Lognormal;
import io.inferwatch.simulation.serving.ServerSpec;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A simulated server in real time.
 *
 * @param port 0 is a free one
 * @param answer tokens of an answer whose length the client does not fix
 * @param timingLog where the server's own times are written, as JSON lines
 * @param tracesEndpoint where spans go, as OTLP over HTTP
 */
public record SimulationSettings(
        ServerSpec server,
        String host,
        int port,
        Lognormal answer,
        Optional<Path> timingLog,
        Optional<URI> tracesEndpoint) {
    /** On a free port of loopback, answers of 130 tokens in the median, no log, no spans. */
    public static SimulationSettings of(ServerSpec server) {
        return new SimulationSettings(
                server, "127.0.0.1", 0, new Lognormal(130, 0.7), Optional.empty(), Optional.empty());
    }

    /** The same at another address. */
    public SimulationSettings at(String newHost, int newPort) {
        return new SimulationSettings(server, newHost, newPort, answer, timingLog, tracesEndpoint);
    }

    /** The same with a timing log. */
    public SimulationSettings withTimingLog(Path file) {
        return new SimulationSettings(server, host, port, answer, Optional.of(file), tracesEndpoint);
    }

    /** The same with spans. */
    public SimulationSettings withTraces(URI endpoint) {
        return new SimulationSettings(server, host, port, answer, timingLog, Optional.of(endpoint));
    }
}
