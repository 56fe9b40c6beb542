package io.inferwatch.analytics.change;

import io.inferwatch.analytics.drift.Comparison;
import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.analytics.drift.DriftRule;
import io.inferwatch.analytics.mix.TrafficMix;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.state.StateReader;
import io.inferwatch.analytics.state.StateWriter;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * A new version beside the old one, watched until it can be said whether it is worse. It may be asked as often as one likes, every minute for days: what counts as a look is one with half as many requests again
 * as the one before, in the smaller arm, and all looks together keep within the rule's chances, whatever their dependence [Bonferroni; spending by information, Lan and DeMets 1983]. The first verdict stays.
 *
 * <p>REGRESSED: p below its share of alpha that the candidate is like the baseline, and a change of at least what is let pass. PASS: the change is surely less than that. Both with the baseline's mix of traffic on both sides;
 * where less than half of the traffic is alike, and until either can be said, INCONCLUSIVE. Not thread safe.
 */
public final class ReleaseGate {
    private static final int VERSION = 1;

    /** Limits that a standard error is taken from; nothing is decided by them. */
    private static final double CONFIDENCE = 0.95;

    private final GateRule rule;
    private int taken;
    private long lastN;
    private Verdict verdict = Verdict.INCONCLUSIVE;

    /** What can be said of the candidate. */
    public enum Verdict {
        /** It is not worse by more than is let pass. */
        PASS,
        /** It is worse. */
        REGRESSED,
        /** More requests are needed. */
        INCONCLUSIVE
    }

    /**
     * What is known now.
     *
     * @param verdict so far; once it is not inconclusive it stays
     * @param comparison of all requests until now, which may be more than the verdict was made from
     * @param looks that have counted
     * @param minimumDetectableEffect the least change for the worse that a look at so many requests calls regressed four times out of five; empty where nothing could be measured
     */
    public record Reading(Verdict verdict, Comparison comparison, int looks, OptionalDouble minimumDetectableEffect) {}

    /** Before the first request. */
    public ReleaseGate(GateRule rule) {
        this.rule = rule;
    }

    /**
     * Looks at all requests until now.
     *
     * @param baseline by kind of traffic; one of any name where kinds are not told apart
     * @param candidate the same, over the same time
     * @param designEffect how many requests tell as much as one independent one; what is below counts as 1
     */
    public Reading look(
            Map<String, QuantileSketch> baseline, Map<String, QuantileSketch> candidate, double designEffect) {
        DriftRule test = new DriftRule(GateRule.ALIKE, rule.alpha(), CONFIDENCE, 0, rule.worse());
        Comparison comparison = TrafficMix.of(baseline, candidate).adjusted(rule.quantile(), designEffect, test);
        if (!(comparison instanceof Measured measured)) {
            return new Reading(verdict, comparison, taken, OptionalDouble.empty());
        }
        long n = Math.min(measured.baselineN(), measured.currentN());
        if (verdict == Verdict.INCONCLUSIVE && taken < rule.looks() && n >= lastN * rule.growth()) {
            taken++;
            lastN = n;
            verdict = judge(measured);
        }
        return new Reading(verdict, comparison, taken, OptionalDouble.of(rule.detectable(measured.standardError())));
    }

    private Verdict judge(Measured measured) {
        double ratio = Math.log1p(measured.change());
        double worse = rule.worse() == DriftRule.Direction.UP ? ratio : -ratio;
        double letPass = Math.log1p(rule.maxRegression());
        if (worse >= letPass && measured.p() < rule.alphaOfALook()) {
            return Verdict.REGRESSED;
        }
        return worse + rule.errorsToPass() * measured.standardError() < letPass ? Verdict.PASS : Verdict.INCONCLUSIVE;
    }

    /** Everything, in bytes. */
    public byte[] toBytes() {
        StateWriter out = new StateWriter();
        out.octet(VERSION);
        out.number(taken);
        out.number(lastN);
        out.octet(verdict.ordinal());
        return out.toBytes();
    }

    /** What {@link #toBytes} has written. */
    public static ReleaseGate ofBytes(byte[] bytes, GateRule rule) {
        StateReader in = new StateReader(bytes);
        int version = in.octet();
        if (version != VERSION) {
            throw new IllegalArgumentException("state: must be of version " + VERSION + ", found " + version);
        }
        ReleaseGate gate = new ReleaseGate(rule);
        gate.taken = (int) in.number();
        gate.lastN = in.number();
        gate.verdict = Verdict.values()[in.octet()];
        return gate;
    }
}
