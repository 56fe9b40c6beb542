package io.inferwatch.simulation.serving;

import io.inferwatch.simulation.engine.Engine;
import io.inferwatch.simulation.engine.EngineState;
import io.inferwatch.simulation.engine.Prompt;
import io.inferwatch.simulation.engine.Sequence;
import io.inferwatch.simulation.engine.SequenceListener;
import io.inferwatch.simulation.engine.StepWork;
import io.inferwatch.simulation.engine.Timeline;
import io.inferwatch.simulation.memory.DeviceState;
import io.inferwatch.simulation.memory.SimulatedDevice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A server: gateway, authentication, guardrail, tokenisation, engine, post-processing. A request's chance (stages, guardrail, faults that
 * strike it) depends on the server's seed and the request's number alone, so that a fault that is switched on changes what it must and
 * nothing else. A fault of the stages strikes requests that come while it is on, one of the engine every step that begins then.
 *
 * <p>started = ended + open at any moment; a request that hangs is open until it is cancelled. Runs on its timeline's thread.
 */
public final class SimulatedServer {
    private static final int MOST_TOKENS_BEFORE_ERROR = 8;

    private final ServerSpec spec;
    private final Timeline timeline;
    private final Engine engine;
    private final SimulatedDevice device;
    private final Map<Fault, Double> faults = new EnumMap<>(Fault.class);
    private long started;
    private long ended;

    /** An idle, healthy server. */
    public SimulatedServer(ServerSpec spec, Timeline timeline) {
        this(spec, timeline, step -> {});
    }

    /**
     * An idle, healthy server.
     *
     * @param steps told the work of every step of the engine when it begins
     */
    public SimulatedServer(ServerSpec spec, Timeline timeline, Consumer<StepWork> steps) {
        this.spec = spec;
        this.timeline = timeline;
        this.engine = new Engine(spec.engine(), timeline, steps);
        this.device = new SimulatedDevice(spec.device(), spec.seed());
    }

    /** Who it is. */
    public ServerSpec spec() {
        return spec;
    }

    /** The version that runs now. */
    public String version() {
        return faults.containsKey(Fault.SLOWER_VERSION) ? spec.nextVersion() : spec.version();
    }

    /** The engine now. */
    public EngineState engine() {
        return engine.state();
    }

    /** The memory of its device now. */
    public DeviceState device() {
        return device.state(timeline.nowNanos());
    }

    /** Requests that came. */
    public long started() {
        return started;
    }

    /** Requests that have neither ended nor been cancelled. */
    public long open() {
        return started - ended;
    }

    /** Faults that are on, with their severities. */
    public Map<Fault, Double> faults() {
        return Collections.unmodifiableMap(faults);
    }

    /**
     * Switches a fault on, or changes its severity.
     *
     * @throws IllegalArgumentException when the severity is outside the fault's limits
     */
    public void switchOn(Fault fault, double severity) {
        faults.put(fault, fault.check(severity));
        apply();
    }

    /** Switches a fault off. */
    public void switchOff(Fault fault) {
        faults.remove(fault);
        apply();
    }

    /** Takes a request; it can be cancelled by what is returned. */
    public Runnable submit(SimulatedRequest request, ResponseListener listener) {
        InFlight inFlight = new InFlight(request, listener, new SplittableRandom(spec.seed() + 31 * started));
        started++;
        inFlight.begin();
        return inFlight::cancel;
    }

    private void apply() {
        engine.setSlowness(factor(Fault.SLOW_NODE) * factor(Fault.THROTTLED_GPU) * factor(Fault.SLOWER_VERSION));
        engine.withholdBlocks(
                (int) Math.round(share(Fault.KV_PRESSURE) * spec.engine().blocks()));
        device.setFragmentation(share(Fault.FRAGMENTATION), timeline.nowNanos());
        engine.setCold(faults.containsKey(Fault.COLD_CACHE));
    }

    private double factor(Fault fault) {
        return faults.getOrDefault(fault, 1.0);
    }

    private double share(Fault fault) {
        return faults.getOrDefault(fault, 0.0);
    }

    /** One request on its way. */
    private final class InFlight implements SequenceListener {
        private final SimulatedRequest request;
        private final ResponseListener listener;
        private final String version = version();
        private final long arrivedNanos = timeline.nowNanos();
        private final Stages.Times times;
        private final Optional<Guardrail.Check> check;
        private final boolean fails;
        private final boolean hangs;
        private final int tokensBeforeError;
        private final List<Long> tokenNanos = new ArrayList<>();
        private @Nullable Sequence sequence;
        private boolean isOver;

        /** All of its chance is drawn here, whatever becomes of it. */
        InFlight(SimulatedRequest request, ResponseListener listener, SplittableRandom random) {
            this.request = request;
            this.listener = listener;
            double slowness = factor(Fault.SLOW_NODE);
            int characters = request.prompt().tokens() * Prompt.CHARACTERS_PER_TOKEN;
            times = spec.stages().next(random, characters, slowness);
            check = spec.guardrail().check(random);
            double errorLuck = random.nextDouble();
            fails = errorLuck < share(Fault.ERROR_BURST) / 2;
            int tokens = 1 + random.nextInt(MOST_TOKENS_BEFORE_ERROR);
            tokensBeforeError = !fails && errorLuck < share(Fault.ERROR_BURST) ? tokens : 0;
            hangs = random.nextDouble() < share(Fault.HANGING_REQUESTS);
        }

        void begin() {
            long nanos = times.gatewayNanos()
                    + times.authenticationNanos()
                    + check.map(Guardrail.Check::waitedNanos).orElse(0L)
                    + times.tokenizeNanos();
            timeline.after(nanos, this::enterEngine);
        }

        void cancel() {
            if (!isOver) {
                leaveEngine();
                end(Ending.CANCELLED);
            }
        }

        @Override
        public void onToken(Sequence token) {
            if (tokenNanos.isEmpty()) {
                listener.onBegin(beginning(token));
            }
            tokenNanos.add(timeline.nowNanos());
            listener.onToken(tokenNanos.size() - 1);
            if (tokenNanos.size() == tokensBeforeError && !isOver && !token.isOver()) {
                leaveEngine();
                end(Ending.INBAND_ERROR);
            }
        }

        @Override
        public void onEnd(Sequence whole) {
            timeline.after(times.postprocessNanos(), () -> {
                if (!isOver) {
                    end(request.wholeEnding());
                }
            });
        }

        private Beginning beginning(Sequence token) {
            long scheduledNanos = token.scheduledNanos().orElseThrow();
            return new Beginning(
                    times.gatewayNanos(),
                    times.authenticationNanos(),
                    check,
                    times.tokenizeNanos(),
                    scheduledNanos - token.queuedNanos(),
                    timeline.nowNanos() - scheduledNanos);
        }

        private void enterEngine() {
            if (isOver || hangs) {
                return;
            }
            if (fails) {
                end(Ending.ERROR);
            } else if ((long) request.prompt().tokens() + request.tokens()
                    > spec.engine().longestSequence()) {
                end(Ending.REJECTED);
            } else {
                sequence = engine.add(request.prompt(), request.tokens(), this);
            }
        }

        private void leaveEngine() {
            if (sequence != null) {
                engine.cancel(sequence);
            }
        }

        private void end(Ending ending) {
            isOver = true;
            ended++;
            Sequence known = sequence;
            listener.onEnd(new Journey(
                    request.id(),
                    version,
                    ending,
                    arrivedNanos,
                    times.gatewayNanos(),
                    times.authenticationNanos(),
                    check,
                    times.tokenizeNanos(),
                    known == null ? OptionalLong.empty() : OptionalLong.of(known.queuedNanos()),
                    known == null ? OptionalLong.empty() : known.scheduledNanos(),
                    Collections.unmodifiableList(tokenNanos),
                    times.postprocessNanos(),
                    timeline.nowNanos(),
                    request.prompt().tokens(),
                    known == null ? 0 : known.cachedTokens(),
                    known == null ? 0 : known.preemptions()));
        }
    }
}
