package io.inferwatch.analytics.anomaly;

import io.inferwatch.analytics.anomaly.AnomalyRule.Block;
import io.inferwatch.analytics.anomaly.AnomalyRule.Shape;
import io.inferwatch.analytics.anomaly.AnomalyRule.View;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.analytics.state.StateReader;
import io.inferwatch.analytics.state.StateWriter;
import java.util.Arrays;

/**
 * One view of {@link ShapeChannel}: values gathered to blocks, the last W blocks a vector, and how far the latest vector is from the nearest earlier one that shares
 * no block with it (the left matrix profile, mean absolute difference), in what is usual for the series.
 *
 * <p>The scale is the range of the time of learning, 1st to 99th percentile of its blocks; nothing later moves it. Blocks are kept in steps of 1/{@value #STEPS} of it, two
 * bytes each, and the oldest quarter is forgotten when there are too many. Past distances are a sketch.
 */
final class ShapeView {
    private static final int STEPS = 1024;
    private static final int SEARCH_FROM_START = -1;
    private static final double DECAY = Math.exp(-1);

    private final View view;
    private final Shape rule;
    private final int blockLength;

    private int filled;
    private double least;
    private double greatest;
    private double sum;
    private double centre = Double.NaN;

    /** Blocks of the time of learning, while it lasts. */
    private double[] unscaled = new double[0];

    private double scale;
    private short[] blocks = new short[0];
    private int length;
    private int sinceGap;
    private QuantileSketch distances = new QuantileSketch();
    private double envelope;

    /** End of the vector that was nearest to the last one: its successor is likely to be near the next, which ends most comparisons early. */
    private int nearest = SEARCH_FROM_START;

    ShapeView(View view, Shape rule, int learnWindows) {
        this.view = view;
        this.rule = rule;
        this.blockLength = Math.max(1, learnWindows / (view.width() * view.vectors()));
    }

    int blockLength() {
        return blockLength;
    }

    double weight() {
        return view.weight();
    }

    /** The greatest recent distance in usual ones, falling to 1/e with each block. */
    double envelope() {
        return envelope;
    }

    /**
     * Takes in a value.
     *
     * @return whether a block is complete with it
     */
    boolean add(double value) {
        least = filled == 0 ? value : Math.min(least, value);
        greatest = filled == 0 ? value : Math.max(greatest, value);
        sum = filled == 0 ? value : sum + value;
        filled++;
        if (filled < blockLength) {
            return false;
        }
        filled = 0;
        double mean = sum / blockLength;
        double before = Double.isNaN(centre) ? mean : centre;
        centre = (before + mean) / 2;
        double extreme = greatest - before > before - least ? greatest : least;
        double block = view.block() == Block.MEAN ? mean : extreme;
        if (scale == 0) {
            unscaled = Arrays.copyOf(unscaled, unscaled.length + 1);
            unscaled[unscaled.length - 1] = block;
        } else {
            take(block);
        }
        return true;
    }

    /** Fixes the scale, at the end of the time of learning. */
    void learn() {
        double[] rising = unscaled.clone();
        Arrays.sort(rising);
        double high = quantile(rising, 0.99);
        scale = Math.max(high - quantile(rising, 0.01), 1e-3 * (Math.abs(high) + 1e-3));
        for (double block : unscaled) {
            take(block);
        }
        unscaled = new double[0];
    }

    private static double quantile(double[] rising, double q) {
        double at = q * (rising.length - 1);
        int below = (int) at;
        int above = Math.min(below + 1, rising.length - 1);
        return rising[below] + (at - below) * (rising[above] - rising[below]);
    }

    /** Only vectors without a gap are judged; those before it stay for comparison. */
    void gap() {
        filled = 0;
        sinceGap = 0;
    }

    private void take(double block) {
        if (length == rule.mostBlocks()) {
            int forgotten = length / 4;
            System.arraycopy(blocks, forgotten, blocks, 0, length - forgotten);
            length -= forgotten;
            nearest = SEARCH_FROM_START;
        }
        if (length == blocks.length) {
            blocks = Arrays.copyOf(blocks, Math.min(rule.mostBlocks(), 64 + 2 * length));
        }
        long steps = Math.round(block / scale * STEPS);
        blocks[length++] = (short) Math.max(Short.MIN_VALUE, Math.min(Short.MAX_VALUE, steps));
        sinceGap++;
        envelope *= DECAY;
        if (sinceGap >= view.width() && length >= 2 * view.width()) {
            judge();
        }
    }

    private void judge() {
        int distance = distanceToNearest();
        if (distances.n() == 0) {
            distances.add(distance);
            return;
        }
        double[] quantiles = distances.quantiles(rule.usual(), rule.tail());
        double mixed =
                Math.exp((1 - rule.tailWeight()) * Math.log(quantiles[0]) + rule.tailWeight() * Math.log(quantiles[1]));
        double usual = Math.max(rule.floor() * STEPS * view.width(), mixed);
        envelope = Math.max(envelope, distance / usual);
        distances.add(Math.min(distance, Math.round(rule.cap() * usual)));
    }

    /** Sum of absolute differences, in steps. */
    private int distanceToNearest() {
        int last = length - 1;
        int latest = last - view.width();
        int best = Integer.MAX_VALUE;
        if (nearest != SEARCH_FROM_START && nearest + 1 <= latest) {
            nearest++;
            best = distance(last, nearest, best);
        }
        for (int end = latest; end >= view.width() - 1; end--) {
            int distance = distance(last, end, best);
            if (distance < best) {
                best = distance;
                nearest = end;
            }
        }
        return best;
    }

    /** Given up as soon as it is not the least any more. */
    private int distance(int end, int otherEnd, int best) {
        int distance = 0;
        for (int back = 0; back < view.width() && distance < best; back++) {
            distance += Math.abs(blocks[end - back] - blocks[otherEnd - back]);
        }
        return distance;
    }

    void write(StateWriter out) {
        out.number(filled);
        out.real(least);
        out.real(greatest);
        out.real(sum);
        out.real(centre);
        out.number(unscaled.length);
        for (double block : unscaled) {
            out.real(block);
        }
        out.real(scale);
        byte[] bytes = new byte[Short.BYTES * length];
        for (int i = 0; i < length; i++) {
            bytes[2 * i] = (byte) (blocks[i] >> Byte.SIZE);
            bytes[2 * i + 1] = (byte) blocks[i];
        }
        out.part(bytes);
        out.number(sinceGap);
        out.part(SketchEncoding.encode(distances));
        out.real(envelope);
    }

    void read(StateReader in) {
        filled = (int) in.number();
        least = in.real();
        greatest = in.real();
        sum = in.real();
        centre = in.real();
        unscaled = new double[(int) in.number()];
        Arrays.setAll(unscaled, i -> in.real());
        scale = in.real();
        byte[] bytes = in.part();
        length = bytes.length / Short.BYTES;
        blocks = new short[length];
        for (int i = 0; i < length; i++) {
            blocks[i] = (short) ((bytes[2 * i] << Byte.SIZE) | (bytes[2 * i + 1] & 0xFF));
        }
        sinceGap = (int) in.number();
        distances = SketchEncoding.decode(in.part());
        envelope = in.real();
    }
}
