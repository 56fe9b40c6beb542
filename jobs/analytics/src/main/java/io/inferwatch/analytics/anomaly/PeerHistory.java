package io.inferwatch.analytics.anomaly;

import io.inferwatch.analytics.state.StateReader;
import io.inferwatch.analytics.state.StateWriter;

/**
 * Where a replica usually is among its peers: a replica on an older device is slower than others every day. Immutable; 24 bytes or less.
 *
 * @param windows that it was learned from
 * @param usual difference from the others' median
 * @param deviation mean absolute one from that
 * @param strikes windows out of place, less those in place since
 * @param isStraggler whether it is told
 */
public record PeerHistory(int windows, double usual, double deviation, int strikes, boolean isStraggler) {
    private static final int VERSION = 1;

    /** Of normal differences, from mean absolute to standard deviation. */
    private static final double TO_SIGMA = Math.sqrt(Math.PI / 2);

    /** A replica that was not seen before. */
    public static final PeerHistory NONE = new PeerHistory(0, 0, 0, 0, false);

    double spread() {
        return TO_SIGMA * deviation;
    }

    PeerHistory learned(double difference, PeerRule rule) {
        int seen = Math.min(windows + 1, rule.learnWindows());
        double weight = Math.max(rule.weight(), 1.0 / seen);
        double moved = usual + weight * (difference - usual);
        // The first difference is where it is; how far differences lie apart is told from the second on.
        double away = windows == 0
                ? 0
                : deviation + Math.max(rule.weight(), 1.0 / (seen - 1)) * (Math.abs(difference - usual) - deviation);
        return new PeerHistory(seen, moved, away, strikes, isStraggler);
    }

    PeerHistory struck(int change, PeerRule rule) {
        int now = Math.max(0, Math.min(rule.most(), strikes + change));
        return new PeerHistory(windows, usual, deviation, now, isStraggler ? now > 0 : now >= rule.begins());
    }

    /** The state's bytes. */
    public byte[] toBytes() {
        StateWriter out = new StateWriter();
        out.octet(VERSION);
        out.number(windows);
        out.real(usual);
        out.real(deviation);
        out.number(2L * strikes + (isStraggler ? 1 : 0));
        return out.toBytes();
    }

    /**
     * The history that those bytes hold.
     *
     * @throws IllegalArgumentException when another version wrote them
     */
    public static PeerHistory ofBytes(byte[] bytes) {
        StateReader in = new StateReader(bytes);
        int version = in.octet();
        if (version != VERSION) {
            throw new IllegalArgumentException("peer history: version must be " + VERSION + ", found " + version);
        }
        int windows = (int) in.number();
        double usual = in.real();
        double deviation = in.real();
        long strikes = in.number();
        return new PeerHistory(windows, usual, deviation, (int) (strikes / 2), strikes % 2 == 1);
    }
}
