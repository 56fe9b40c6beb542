package io.inferwatch.analytics.anomaly;

import io.inferwatch.analytics.anomaly.AnomalyRule.Alarms;
import io.inferwatch.analytics.anomaly.Channel.Point;
import io.inferwatch.analytics.anomaly.Judgement.Evidence;
import io.inferwatch.analytics.anomaly.SeasonalLevel.Expectation;
import io.inferwatch.analytics.state.StateReader;
import io.inferwatch.analytics.state.StateWriter;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * All that is remembered of one series, so that each window that ends can be judged by what was before it, and by nothing that comes after.
 *
 * <ul>
 *   <li><b>Channels.</b> {@link JumpChannel}, {@link LevelChannel} and {@link SlowChannel} see what is unexpected by the {@link SeasonalLevel}, in spreads, the first two
 *       as median of three windows: one spike is no level. {@link ShapeChannel} sees the values.
 *   <li><b>Fusion.</b> Each reading becomes a p-value among the channel's own past ({@link PastReadings}). ANOMALOUS is a jump or level whose p, over all channels together
 *       (Tippett's, which holds however channels hang together), is below {@link Alarms#alone}, or a change of any size below {@link Alarms#together} with a shape that is too. A small
 *       change alone, or a shape alone, is SUSPECT: the first may be drift, which has verdicts of its own, and the second a spike.
 *   <li><b>Told</b> is a jump or level that is so improbable that no series of a great fleet has it by chance, once: within the cool-down, or while it lasts, again only when it is twice
 *       as bad.
 *   <li><b>Frozen.</b> While anomalous nothing is learned of level and readings. After {@link Alarms#acceptAfter} the level is accepted, at every hour.
 *   <li><b>Silence.</b> Windows with too few values are neither judged nor learned; no windows at all make the series stale.
 * </ul>
 *
 * <p>State: {@link #toBytes}; bytes are in the module's README. Not thread safe.
 */
public final class AnomalyDetector {
    private static final int VERSION = 1;
    private static final long NEVER = Long.MIN_VALUE;
    private static final Duration LEARN = Duration.ofDays(1);
    private static final int RECENT = 15;
    private static final int FILTER = 3;

    private final AnomalyRule rule;
    private final Scale scale;
    private final long windowMicros;
    private final SeasonalLevel seasonal;
    private final List<Channel> channels;
    private final List<PastReadings> past;

    private long lastEndMicros = NEVER;

    /** What was unexpected of the last windows, newest last, on the series' scale. */
    private double[] unexpected = new double[0];

    private long sinceMicros = NEVER;
    private long lastAlarmMicros = NEVER;
    private double lastAlarm;
    private boolean isTold;
    private int quietWindows;

    /**
     * Before the first window.
     *
     * @param window length of every window
     */
    public AnomalyDetector(AnomalyRule rule, Scale scale, Duration window) {
        this(
                rule,
                scale,
                window.toNanos() / 1_000,
                new SeasonalLevel(rule.level()),
                List.of(
                        new JumpChannel(rule.level()),
                        new LevelChannel(rule.level()),
                        new SlowChannel(rule.slow()),
                        new ShapeChannel(rule.shape(), (int) LEARN.dividedBy(window))),
                List.of(new PastReadings(), new PastReadings(), new PastReadings(), new PastReadings()));
    }

    private AnomalyDetector(
            AnomalyRule rule,
            Scale scale,
            long windowMicros,
            SeasonalLevel seasonal,
            List<Channel> channels,
            List<PastReadings> past) {
        this.rule = rule;
        this.scale = scale;
        this.windowMicros = windowMicros;
        this.seasonal = seasonal;
        this.channels = channels;
        this.past = past;
    }

    /** End of the last window that was taken, epoch microseconds; earlier ones are not wanted any more. */
    public long lastEndMicros() {
        return lastEndMicros;
    }

    /** Whether the series is anomalous, by the last window that was judged. */
    public boolean isAnomalous() {
        return sinceMicros != NEVER;
    }

    /** Whether the series is anomalous and that has been told. */
    public boolean isTold() {
        return sinceMicros != NEVER && isTold;
    }

    /**
     * Takes in the next window and judges it.
     *
     * @param endMicros after that of the window before
     * @param value of the window
     * @param n values (requests) that it is of
     * @return empty when it cannot be judged: too few values, or one that the scale does not hold
     */
    public Optional<Judgement> observe(long endMicros, double value, long n) {
        if (endMicros <= lastEndMicros) {
            throw new IllegalArgumentException("endMicros: must be after " + lastEndMicros + ", found " + endMicros);
        }
        boolean isGap = isStale(endMicros);
        lastEndMicros = endMicros;
        if (isGap) {
            channels.forEach(Channel::gap);
            unexpected = new double[0];
        }
        if (n < rule.alarms().leastValues() || !scale.holds(value)) {
            return Optional.empty();
        }
        double scaled = scale.of(value);
        Optional<Expectation> expected = seasonal.expect(endMicros - windowMicros / 2);
        Judgement judgement = expected.map(range -> judge(endMicros, scaled, range))
                .orElseGet(() -> {
                    channels.get(Sense.SHAPE.ordinal()).observe(new Point(scaled, 0, 0));
                    return Judgement.LEARNING;
                });
        seasonal.learn(endMicros - windowMicros / 2, scaled, expected, judgement.state() == State.ANOMALOUS);
        return Optional.of(judgement);
    }

    /** What is to be said when no window has come: stale after some windows' time, empty before. */
    public Optional<Judgement> silence(long nowMicros) {
        return isStale(nowMicros) ? Optional.of(Judgement.STALE) : Optional.empty();
    }

    private boolean isStale(long nowMicros) {
        return lastEndMicros != NEVER
                && nowMicros - lastEndMicros > rule.alarms().staleWindows() * windowMicros;
    }

    private Judgement judge(long endMicros, double scaled, Expectation range) {
        double spread = Math.max(range.spread(), scale.deadBand(range.centre()));
        int kept = Math.min(unexpected.length, RECENT - 1);
        unexpected = Arrays.copyOfRange(unexpected, unexpected.length - kept, unexpected.length + 1);
        unexpected[kept] = scaled - range.centre();
        Point point = new Point(scaled, unexpected[kept] / spread, filtered() / spread);

        double[] strangeness = new double[channels.size()];
        double[] p = new double[channels.size()];
        long calibrationWindows = rule.alarms().calibration().toNanos() / 1_000 / windowMicros;
        boolean isLearning = false;
        for (int i = 0; i < strangeness.length; i++) {
            OptionalDouble reading = channels.get(i).observe(point);
            strangeness[i] = reading.orElse(0);
            isLearning |= reading.isEmpty() || past.get(i).n() < calibrationWindows;
            p[i] = strangeness[i] > 1 && !isLearning ? past.get(i).p(strangeness[i]) : 1;
            if (sinceMicros == NEVER && reading.isPresent()) {
                past.get(i).add(strangeness[i]);
            }
        }
        if (isLearning) {
            return Judgement.LEARNING;
        }
        int strangest = strangest(strangeness);
        Evidence evidence = new Evidence(
                Sense.values()[strangest],
                scale.value(range.centre() - rule.level().sigmas() * spread),
                scale.value(range.centre() + rule.level().sigmas() * spread),
                scale.value(scaled));
        double score = ShapeChannel.score(strangeness[strangest], rule.shape());
        double together = tippett(Arrays.stream(p).min().orElse(1), p.length);
        Phase phase = next(endMicros, strangeness, p);
        return new Judgement(phase.state(), phase.alarm(), phase.accepted(), score, together, Optional.of(evidence));
    }

    /** The median of the last three; of fewer, with nothing unexpected before. */
    private double filtered() {
        double[] last = new double[FILTER];
        for (int i = 0; i < FILTER && i < unexpected.length; i++) {
            last[i] = unexpected[unexpected.length - 1 - i];
        }
        return SeasonalLevel.median(last, FILTER);
    }

    private static int strangest(double[] strangeness) {
        int strangest = 0;
        for (int i = 1; i < strangeness.length; i++) {
            strangest = strangeness[i] > strangeness[strangest] ? i : strangest;
        }
        return strangest;
    }

    /** The chance that the least of some p-values is that small. */
    private static double tippett(double least, int of) {
        return -Math.expm1(of * Math.log1p(-least));
    }

    private record Phase(State state, boolean alarm, boolean accepted) {}

    private Phase next(long endMicros, double[] strangeness, double[] p) {
        Alarms alarms = rule.alarms();
        double ofLevel = Math.min(p[Sense.JUMP.ordinal()], p[Sense.LEVEL.ordinal()]);
        boolean isMoved = Math.min(ofLevel, p[Sense.SLOW.ordinal()]) < alarms.together();
        boolean isOddlyShaped = p[Sense.SHAPE.ordinal()] < alarms.together();
        double together = tippett(ofLevel, p.length);
        boolean isAnomalous = together < alarms.alone() || (isMoved && isOddlyShaped);
        boolean isEnding = sinceMicros != NEVER && !isAnomalous && isQuiet(strangeness);
        if (isEnding) {
            sinceMicros = NEVER;
            channels.forEach(Channel::reset);
        }
        if (sinceMicros == NEVER && !isAnomalous) {
            return new Phase((isMoved || isOddlyShaped) && !isEnding ? State.SUSPECT : State.OK, false, false);
        }
        if (sinceMicros == NEVER) {
            sinceMicros = endMicros;
            isTold = false;
            quietWindows = 0;
        } else if (endMicros - sinceMicros >= alarms.acceptAfter().toNanos() / 1_000) {
            return accept();
        }
        double jump = strangeness[Sense.JUMP.ordinal()];
        boolean isCool =
                lastAlarmMicros == NEVER || endMicros - lastAlarmMicros > alarms.coolDownWindows() * windowMicros;
        boolean isWorse = jump > alarms.escalation() * lastAlarm;
        boolean isAlarm = together < alarms.told() && (isWorse || (isCool && !isTold));
        if (isAlarm) {
            isTold = true;
            lastAlarmMicros = endMicros;
            lastAlarm = jump;
        }
        return new Phase(State.ANOMALOUS, isAlarm, false);
    }

    private Phase accept() {
        seasonal.accept(SeasonalLevel.median(unexpected.clone(), unexpected.length));
        channels.forEach(Channel::reset);
        unexpected = new double[0];
        sinceMicros = NEVER;
        return new Phase(State.OK, false, true);
    }

    /** Whether enough windows in a row were near what is expected again. */
    private boolean isQuiet(double[] strangeness) {
        double level = Math.max(strangeness[Sense.JUMP.ordinal()], strangeness[Sense.LEVEL.ordinal()]);
        quietWindows = level < rule.alarms().clearShare() ? quietWindows + 1 : 0;
        return quietWindows >= rule.alarms().clearWindows();
    }

    /** The state's bytes. */
    public byte[] toBytes() {
        StateWriter out = new StateWriter();
        out.octet(VERSION);
        out.octet(scale.ordinal());
        out.number(windowMicros);
        out.signed(lastEndMicros);
        seasonal.write(out);
        channels.forEach(channel -> channel.write(out));
        past.forEach(readings -> readings.write(out));
        out.number(unexpected.length);
        for (double one : unexpected) {
            out.real(one);
        }
        out.signed(sinceMicros);
        out.signed(lastAlarmMicros);
        out.real(lastAlarm);
        out.octet(isTold ? 1 : 0);
        out.number(quietWindows);
        return out.toBytes();
    }

    /**
     * The detector that those bytes hold.
     *
     * @throws IllegalArgumentException when another version wrote them
     */
    public static AnomalyDetector ofBytes(byte[] bytes, AnomalyRule rule) {
        StateReader in = new StateReader(bytes);
        int version = in.octet();
        if (version != VERSION) {
            throw new IllegalArgumentException("anomaly detector: version must be " + VERSION + ", found " + version);
        }
        Scale scale = Scale.values()[in.octet()];
        long windowMicros = in.number();
        long lastEndMicros = in.signed();
        AnomalyDetector detector = new AnomalyDetector(
                rule,
                scale,
                windowMicros,
                SeasonalLevel.read(in, rule.level()),
                List.of(
                        new JumpChannel(rule.level()),
                        LevelChannel.read(in, rule.level()),
                        SlowChannel.read(in, rule.slow()),
                        ShapeChannel.read(in, rule.shape())),
                List.of(PastReadings.read(in), PastReadings.read(in), PastReadings.read(in), PastReadings.read(in)));
        detector.lastEndMicros = lastEndMicros;
        detector.unexpected = new double[(int) in.number()];
        Arrays.setAll(detector.unexpected, i -> in.real());
        detector.sinceMicros = in.signed();
        detector.lastAlarmMicros = in.signed();
        detector.lastAlarm = in.real();
        detector.isTold = in.octet() == 1;
        detector.quietWindows = (int) in.number();
        return detector;
    }
}
