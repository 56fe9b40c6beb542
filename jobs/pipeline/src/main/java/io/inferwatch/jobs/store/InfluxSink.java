package io.inferwatch.jobs.store;

import io.inferwatch.influx.InfluxClient;
import io.inferwatch.influx.InfluxConfigurationException;
import io.inferwatch.influx.InfluxConnection;
import io.inferwatch.influx.InfluxWriter;
import io.inferwatch.jobs.ingest.OutboundRecord;
import java.io.IOException;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.runtime.execution.SuppressRestartsException;

/**
 * Points to InfluxDB, at least once: a checkpoint completes when all points before it are stored or, where InfluxDB refuses them for
 * good, their dead letters are. Since a point overwrites its equal, that is effectively once.
 *
 * <p>While InfluxDB is away the sink tries again for as long as it takes, and holds its job back once the points that it may hold are
 * held; checkpoints then time out. What only a person can put right (credentials, a missing database) ends the job with one message
 * and without restarts.
 */
public final class InfluxSink implements Sink<StoredPoint> {
    private static final long serialVersionUID = 1;

    private final InfluxConnection connection;
    private final WriterSettings settings;
    private final Sink<OutboundRecord> deadLetters;

    /**
     * A sink to the connection's database.
     *
     * @param deadLetters takes the letters of refused points
     */
    public InfluxSink(InfluxConnection connection, WriterSettings settings, Sink<OutboundRecord> deadLetters) {
        this.connection = connection;
        this.settings = settings;
        this.deadLetters = deadLetters;
    }

    @Override
    public SinkWriter<StoredPoint> createWriter(WriterInitContext context) throws IOException {
        InfluxClient client;
        try {
            client = InfluxClient.open(connection);
        } catch (InfluxConfigurationException e) {
            throw new SuppressRestartsException(e);
        }
        SinkWriter<OutboundRecord> letters;
        try {
            letters = deadLetters.createWriter(context);
        } catch (IOException | RuntimeException e) {
            client.close();
            throw e;
        }
        PointSender.Lines lines = new InfluxWriter(client)::write;
        PointSender sender = new PointSender(
                lines,
                settings,
                new WriterCounters(context.metricGroup()),
                "influx-writer-" + context.getTaskInfo().getIndexOfThisSubtask());
        return new InfluxSinkWriter(sender, letters, context.getMailboxExecutor(), client::close);
    }
}
