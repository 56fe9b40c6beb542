package io.inferwatch.simulation.engine;

/**
 * How long a step takes: {@code step + prefillToken * prefill tokens + prefillPair * prefill pairs + decodeSequence * decode sequences +
 * decodeContext * decode context tokens}, times a slowness that is 1 for a healthy machine. The sum, not the roofline's maximum, of reading
 * and computing: engines hide one behind the other only in part.
 *
 * @param stepNanos of every step: the weights are read once, kernels are started
 * @param prefillTokenNanos multiplications with the weights
 * @param prefillPairNanos attention within prompts
 * @param decodeSequenceNanos sampling, detokenising, bookkeeping
 * @param decodeContextNanos reading the keys and values of one token
 */
public record CostModel(
        double stepNanos,
        double prefillTokenNanos,
        double prefillPairNanos,
        double decodeSequenceNanos,
        double decodeContextNanos) {
    private static final double PARAMETERS = 8.03e9;
    private static final double BYTES_PER_WEIGHT = 2;
    private static final double LAYERS = 32;
    private static final double HIDDEN = 4_096;
    private static final double KEY_VALUE_BYTES_PER_TOKEN = 2 * LAYERS * 8 * 128 * BYTES_PER_WEIGHT;
    private static final double FLOPS_PER_NANO = 312e12 * 0.5 / 1e9;
    private static final double BYTES_PER_NANO = 2.039e12 * 0.8 / 1e9;
    private static final double LAUNCH_NANOS = 1e6;

    /**
     * Llama 3.1 8B in bfloat16 on one A100 80 GB, from the data sheet: 312 TFLOP/s of which half are reached, 2,039 GB/s of which four
     * fifths are; two operations a weight and token, four a layer, hidden dimension and pair of tokens; 128 KiB of keys and values a token;
     * 1 ms to start kernels. A step takes 10.8 ms, a prompt token 103 us, a pair 3.4 ns, a context token 80 ns; a sequence costs 20 us (an
     * assumption).
     */
    public static CostModel llama8bOnA100() {
        return new CostModel(
                PARAMETERS * BYTES_PER_WEIGHT / BYTES_PER_NANO + LAUNCH_NANOS,
                2 * PARAMETERS / FLOPS_PER_NANO,
                4 * LAYERS * HIDDEN / FLOPS_PER_NANO,
                20_000,
                KEY_VALUE_BYTES_PER_TOKEN / BYTES_PER_NANO);
    }

    /** Length of a step, at least one nanosecond. */
    public long stepNanos(StepWork work, double slowness) {
        double nanos = stepNanos
                + prefillTokenNanos * work.prefillTokens()
                + prefillPairNanos * work.prefillPairs()
                + decodeSequenceNanos * work.decodeSequences()
                + decodeContextNanos * work.decodeContextTokens();
        return Math.max(1, Math.round(nanos * slowness));
    }
}
