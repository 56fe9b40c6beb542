package io.inferwatch.analytics.drift;

import io.inferwatch.analytics.state.StateReader;
import io.inferwatch.analytics.state.StateWriter;
import java.util.Arrays;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Past windows as far as a verdict needs them: all that they hold in one sample, and each one's score. What came as bytes is decoded
 * when it is asked for. Immutable; not thread safe.
 */
public final class PastPool {
    /** Before the first window. */
    public static final PastPool EMPTY = new PastPool(null, null, new double[0]);

    private final double[] scores;
    private byte @Nullable [] encoded;
    private @Nullable Sample sample;

    private PastPool(@Nullable Sample sample, byte @Nullable [] encoded, double[] scores) {
        this.sample = sample;
        this.encoded = encoded;
        this.scores = scores;
    }

    /**
     * Windows.
     *
     * @param sample all of them together
     * @param scores the statistic of each that could be measured, in the scale of its changes, the oldest first
     */
    public static PastPool of(Sample sample, double... scores) {
        return new PastPool(sample, null, scores.clone());
    }

    /** The windows that can be told from each other. */
    public int windows() {
        return scores.length;
    }

    /** Whether there is nothing in it. */
    public boolean isEmpty() {
        return sample == null && encoded == null;
    }

    /** All together. */
    public Sample sample() {
        if (sample == null) {
            if (encoded == null) {
                throw new IllegalStateException("pool: must have windows, found none");
            }
            sample = StateBytes.decode(encoded);
        }
        return sample;
    }

    /** The statistic of each window, the oldest first; not to be written to. */
    double[] scores() {
        return scores;
    }

    /** The mean of the windows' statistics; empty where none could be measured. */
    OptionalDouble meanScore() {
        return Arrays.stream(scores).average();
    }

    /** Both together, the other one being the younger. */
    public PastPool plus(PastPool younger) {
        if (younger.isEmpty()) {
            return this;
        }
        if (isEmpty()) {
            return younger;
        }
        double[] all = Arrays.copyOf(scores, scores.length + younger.scores.length);
        System.arraycopy(younger.scores, 0, all, scores.length, younger.scores.length);
        return new PastPool(sample().plus(younger.sample()), null, all);
    }

    /** Its bytes. */
    public byte[] toBytes() {
        StateWriter out = new StateWriter();
        write(out);
        return out.toBytes();
    }

    /** The pool that those bytes hold. */
    public static PastPool ofBytes(byte[] bytes) {
        return read(new StateReader(bytes));
    }

    void write(StateWriter out) {
        if (encoded == null && sample != null) {
            encoded = StateBytes.encode(sample);
        }
        out.part(encoded == null ? new byte[0] : encoded);
        out.number(scores.length);
        for (double score : scores) {
            out.real(score);
        }
    }

    static PastPool read(StateReader in) {
        byte[] part = in.part();
        double[] scores = new double[(int) in.number()];
        for (int i = 0; i < scores.length; i++) {
            scores[i] = in.real();
        }
        return part.length == 0 ? EMPTY : new PastPool(null, part, scores);
    }
}
