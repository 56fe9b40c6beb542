package io.inferwatch.jobs.store;

import io.inferwatch.influx.InfluxWriter.Refusal;
import io.inferwatch.jobs.ingest.DeadLetters;
import io.inferwatch.jobs.ingest.OutboundRecord;
import java.io.IOException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.jspecify.annotations.Nullable;

/**
 * Hands points to a {@link PointSender} and the letters of refused ones to the dead letters' writer, which only the task's own thread
 * may use.
 */
final class InfluxSinkWriter implements SinkWriter<StoredPoint> {
    static final String STAGE = "influx-writer";

    private record Refused(StoredPoint point, Refusal refusal) {}

    private final PointSender sender;
    private final SinkWriter<OutboundRecord> deadLetters;
    private final MailboxExecutor mailbox;
    private final Runnable closeClient;
    private final DeadLetters letters = new DeadLetters(STAGE);
    private final ConcurrentLinkedQueue<Refused> refused = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean mailed = new AtomicBoolean();

    InfluxSinkWriter(
            PointSender sender, SinkWriter<OutboundRecord> deadLetters, MailboxExecutor mailbox, Runnable closeClient) {
        this.sender = sender;
        this.deadLetters = deadLetters;
        this.mailbox = mailbox;
        this.closeClient = closeClient;
        sender.start(this::onRefusal);
    }

    @Override
    public void write(StoredPoint point, Context context) throws IOException, InterruptedException {
        try {
            sender.add(point);
        } catch (UnwritableException e) {
            throw new SuppressRestartsException(e);
        }
    }

    @Override
    public void flush(boolean endOfInput) throws IOException, InterruptedException {
        try {
            sender.drain();
        } catch (UnwritableException e) {
            throw new SuppressRestartsException(e);
        }
        sendLetters();
        deadLetters.flush(endOfInput);
    }

    @Override
    public void close() throws IOException {
        // The client first: its requests end at once, so that the sender's thread can.
        closeClient.run();
        sender.close();
        try {
            deadLetters.close();
        } catch (IOException e) {
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            throw new IOException("the dead letters' writer does not close", e);
        }
    }

    private void onRefusal(StoredPoint point, Refusal refusal) {
        refused.add(new Refused(point, refusal));
        if (mailed.compareAndSet(false, true)) {
            mailbox.execute(this::sendLetters, "dead letters of refused points");
        }
    }

    private void sendLetters() throws IOException, InterruptedException {
        mailed.set(false);
        Refused next = refused.poll();
        while (next != null) {
            OutboundRecord letter = letters.letter(
                    next.point.origin(),
                    next.refusal.reason().label(),
                    next.refusal.message(),
                    System.currentTimeMillis());
            deadLetters.write(letter, LetterContext.INSTANCE);
            next = refused.poll();
        }
    }

    private enum LetterContext implements Context {
        INSTANCE;

        @Override
        public long currentWatermark() {
            return Long.MIN_VALUE;
        }

        @Override
        public @Nullable Long timestamp() {
            return null;
        }
    }
}
