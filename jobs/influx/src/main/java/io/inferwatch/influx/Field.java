package io.inferwatch.influx;

/** Names of tags and fields that no metric lends its own to. */
public final class Field {
    /** Tag of all measurements of windows and of what is computed of them: the view of the metric catalogue. */
    public static final String VIEW = "view";

    /** Tag of {@link Measurement#REQUEST} in {@link RetentionPolicy#RUNS}: length of the window, as in 1s, 1m, 1h. */
    public static final String WINDOW = "window";

    /** Field of {@link Measurement#REQUEST}, integer: requests that ended in the window. */
    public static final String REQUESTS = "requests";

    /** Field of the measurements of samples, integer: samples that fell into the window. */
    public static final String SAMPLES = "samples";

    /** Field of {@link Measurement#REQUEST}, integer: how often the window was corrected. */
    public static final String REVISION = "revision";

    /** Tag of {@link Measurement#DRIFT}, {@link Measurement#MIX} and {@link Measurement#COMPARISON}: a metric or ratio of the catalogue. */
    public static final String METRIC = "metric";

    /** Tag of {@link Measurement#DRIFT}, {@link Measurement#MIX} and {@link Measurement#COMPARISON}: p50, p90, p95, p99, mean, share or rate. */
    public static final String STATISTIC = "statistic";

    /** Tag of {@link Measurement#COMPARISON}: its name in the catalogue or the configuration. */
    public static final String COMPARISON = "comparison";

    /** Tag of {@link Measurement#COMPARISON}: the value that is compared with. */
    public static final String AGAINST = "against";

    /** Field of {@link Measurement#COMPARISON}, text: the value that is compared, also the tag of the dimension across which it is. */
    public static final String VALUE = "value";

    /** Field of {@link Measurement#DRIFT} and {@link Measurement#COMPARISON}, text: DRIFT, NO_DRIFT, INCONCLUSIVE or NOT_ESTIMABLE. */
    public static final String VERDICT = "verdict";

    /** Field of {@link Measurement#DRIFT} and {@link Measurement#COMPARISON}, text: RELATIVE (changes are ratios less 1) or POINTS (differences of shares). */
    public static final String SCALE = "scale";

    /** Field of {@link Measurement#DRIFT} and {@link Measurement#COMPARISON}, text: of current and baseline. */
    public static final String UNIT = "unit";

    /** Field of {@link Measurement#DRIFT} and {@link Measurement#COMPARISON}, real: the statistic now; absent without values. */
    public static final String CURRENT = "current";

    /** Field of {@link Measurement#DRIFT} and {@link Measurement#COMPARISON}, real: the statistic of the baseline; absent without values. */
    public static final String BASELINE = "baseline";

    /** Field of {@link Measurement#DRIFT} and {@link Measurement#COMPARISON}, real: current against baseline; absent when not estimable, like all that follows from it. */
    public static final String CHANGE = "change";

    /** Field of {@link Measurement#DRIFT} and {@link Measurement#COMPARISON}, real: lower 95 % confidence limit of the change. */
    public static final String CHANGE_LOW = "change_low";

    /** Field of {@link Measurement#DRIFT} and {@link Measurement#COMPARISON}, real: upper 95 % confidence limit of the change. */
    public static final String CHANGE_HIGH = "change_high";

    /** Field of {@link Measurement#DRIFT} and {@link Measurement#COMPARISON}, real: chance of such data, or worse, were the change no more than the threshold. */
    public static final String P = "p";

    /** Field of {@link Measurement#DRIFT} and {@link Measurement#COMPARISON}, real: the same with all keys of the window in mind. */
    public static final String Q = "q";

    /** Field of {@link Measurement#DRIFT}, {@link Measurement#COMPARISON}, {@link Measurement#STAGE}, {@link Measurement#PROMPT_SHAPE}, {@link Measurement#KV_JOINT} and {@link Measurement#LOAD_STEP}, integer: values, trials or events now. */
    public static final String N = "n";

    /** Field of {@link Measurement#DRIFT} and {@link Measurement#COMPARISON}, integer: values, trials or events of the baseline. */
    public static final String N_BASELINE = "n_baseline";

    /** Field of {@link Measurement#DRIFT} and {@link Measurement#COMPARISON}, real: minimum detectable effect. */
    public static final String DETECTABLE_CHANGE = "detectable_change";

    /** Field of {@link Measurement#DRIFT} and {@link Measurement#COMPARISON}, real: the change that would be called DRIFT four times out of five. */
    public static final String PROVABLE_CHANGE = "provable_change";

    /** Field of {@link Measurement#DRIFT} and {@link Measurement#COMPARISON}, real: the change that matters. */
    public static final String THRESHOLD = "threshold";

    /** Field of {@link Measurement#DRIFT} and {@link Measurement#COMPARISON}, integer 0 or 1: whether drift is confirmed. */
    public static final String DRIFTING = "drifting";

    /** Field of {@link Measurement#DRIFT} and {@link Measurement#COMPARISON}, integer: start of the confirmed drift, epoch microseconds; absent while there is none. */
    public static final String DRIFTING_SINCE_MICROS = "drifting_since_micros";

    /** Field of {@link Measurement#DRIFT}, integer: windows united for the verdict. */
    public static final String WINDOWS = "windows";

    /** Field of {@link Measurement#DRIFT}, text: recent or hour-class. */
    public static final String BASELINE_KIND = "baseline_kind";

    /** Field of {@link Measurement#DRIFT} and {@link Measurement#MIX}, real: part of the change that is the traffic; absent where nothing changed. */
    public static final String MIX_SHARE = "mix_share";

    /** Field of {@link Measurement#DRIFT}, integer 0 or 1: whether a lasting drift is the baseline from now on. */
    public static final String REBASED = "rebased";

    /** Field of {@link Measurement#COMPARISON}, integer 0 or 1: whether the baseline is all that was seen of its value. */
    public static final String PINNED = "pinned";

    /** Field of {@link Measurement#MIX}, real: current less baseline, in the metric's base unit. */
    public static final String TOTAL = "total";

    /** Field of {@link Measurement#MIX}, real: what like requests changed by: the server. */
    public static final String RATE = "rate";

    /** Field of {@link Measurement#MIX}, real: what the requests' own change makes: the traffic. */
    public static final String MIX = "mix";

    /** Field of {@link Measurement#MIX}, real: the mean's change. */
    public static final String MEAN_TOTAL = "mean_total";

    /** Field of {@link Measurement#MIX}, real: the server's part of it. */
    public static final String MEAN_RATE = "mean_rate";

    /** Field of {@link Measurement#MIX}, real: the traffic's part of it. */
    public static final String MEAN_MIX = "mean_mix";

    /** Field of {@link Measurement#MIX}, real: share of the requests whose like the other side has too. */
    public static final String COVERED = "covered";

    /** Tag of {@link Measurement#ALERT}: the alert's name. */
    public static final String ALERT = "alert";

    /** Tag of {@link Measurement#ALERT}: its identity over restarts. */
    public static final String FINGERPRINT = "fingerprint";

    /** Field of {@link Measurement#ALERT}, text: PENDING, FIRING, RESOLVED or EXPIRED. */
    public static final String STATE = "state";

    /** Field of {@link Measurement#ALERT}, text: PAGE, TICKET or ANNOTATION. */
    public static final String SEVERITY = "severity";

    /** Field of {@link Measurement#ALERT}, text: one sentence. */
    public static final String SUMMARY = "summary";

    /** Field of {@link Measurement#ALERT}, integer: when the condition began, epoch microseconds. */
    public static final String STARTS_AT_MICROS = "starts_at_micros";

    /** Field of {@link Measurement#ALERT}, integer: when it ended, epoch microseconds; there once it has. */
    public static final String ENDS_AT_MICROS = "ends_at_micros";

    /** Field of {@link Measurement#ALERT}, text: labels as key=value, by name, comma between. */
    public static final String LABELS = "labels";

    /** Field of {@link Measurement#ALERT}, text: what was measured, one finding a line. */
    public static final String EVIDENCE = "evidence";

    /** Field of {@link Measurement#ALERT}, text: likely causes, likeliest first, one a line. */
    public static final String CAUSES = "causes";

    /** Tag of {@link Measurement#HEALTH}: job or probe. */
    public static final String COMPONENT = "component";

    /** Tag of {@link Measurement#HEALTH}: process, and operator in a job. */
    public static final String INSTANCE = "instance";

    /** Tag of {@link Measurement#STAGE}: a stage of the service chain, or {@code chain} for all of them. */
    public static final String STAGE = "stage";

    /** Field of {@link Measurement#STAGE}, real with limits: a stage's mean; of the chain the sum of its stages' means, without limits ({@code mean_seconds}). */
    public static final String MEAN = "mean";

    /** Field of {@link Measurement#STAGE}, real with limits: standard deviation by mean. */
    public static final String VARIATION = "variation";

    /** Field of {@link Measurement#STAGE}, real with limits: a stage's mean by the chain's. */
    public static final String SHARE = "share";

    /** Field of {@link Measurement#STAGE}, integer: of the whole chain: requests that were answered in full within every limit. */
    public static final String GOOD = "good";

    /** Field of {@link Measurement#STAGE}, real with limits: of the whole chain: requests answered in full within every limit ({@code sustained_per_second}). */
    public static final String SUSTAINED = "sustained";

    /** Field of {@link Measurement#STAGE}, real with limits: of the whole chain: good requests by all. */
    public static final String GOOD_RATIO = "good_ratio";

    /** Field of {@link Measurement#STAGE}, real with limits: of the whole chain: parsing, filling the template and tokenisation. */
    public static final String PREPROCESSING_SHARE = "preprocessing_share";

    /** Field of {@link Measurement#STAGE}, real with limits: of the whole chain: prefill and decode. */
    public static final String GPU_SHARE = "gpu_share";

    /** Field of {@link Measurement#STAGE}, real with limits: of the whole chain: prefill by prefill and decode. */
    public static final String PREFILL_OF_GPU = "prefill_of_gpu";

    /** Field of {@link Measurement#STAGE}, real: of the whole chain: prompt tokens that came from the cache. */
    public static final String CACHED_RATIO = "cached_ratio";

    /** Tag of {@link Measurement#PROMPT_SHAPE}: how prompts are built. */
    public static final String STRUCTURE = "structure";

    /** Field of {@link Measurement#PROMPT_SHAPE}, integer: lengths that the exponent was fitted over. */
    public static final String LENGTHS = "lengths";

    /** Field of {@link Measurement#PROMPT_SHAPE}, real: tokens by characters. */
    public static final String TOKENS_PER_CHARACTER = "tokens_per_character";

    /** Field of {@link Measurement#PROMPT_SHAPE}, real with limits: tokens by those of plain prompts of the same length. */
    public static final String INFLATION = "inflation";

    /** Field of {@link Measurement#PROMPT_SHAPE}, real with limits: of the power law of tokenisation time against length. */
    public static final String TOKENIZE_EXPONENT = "tokenize_exponent";

    /** Field of {@link Measurement#KV_JOINT}, real with limits: how full context windows were, from 0 to 1. */
    public static final String FILL = "fill";

    /** Field of {@link Measurement#KV_JOINT}, real with limits: prompt tokens from the cache, from 0 to 1. */
    public static final String REUSE = "reuse";

    /** Field of {@link Measurement#KV_JOINT}, real with limits: that of fill and reuse. */
    public static final String CORRELATION = "correlation";

    /** Tag of {@link Measurement#LOAD_STEP}: number of the step within its run, from 1. */
    public static final String LOAD_STEP = "step";

    /** Tag of {@link Measurement#LOAD_STEP}: pass, breach, circuit-breaker or not-estimable. */
    public static final String LOAD_VERDICT = "verdict";

    /** Field of {@link Measurement#LOAD_STEP}, integer: requests that failed; in P99 they have waited for ever. */
    public static final String LOAD_FAILED = "failed";

    /** Field of {@link Measurement#LOAD_STEP}, real: requests a second that were asked for. */
    public static final String LOAD_ASKED = "asked_per_second";

    /** Field of {@link Measurement#LOAD_STEP}, real: requests a second that were due. */
    public static final String LOAD_DUE = "due_per_second";

    /** Field of {@link Measurement#LOAD_STEP}, real: P99 of the worst sliding minute, from the schedule; absent where it is not estimable or more than one in a hundred failed. */
    public static final String LOAD_P99 = "p99_seconds";

    /** Field of {@link Measurement#LOAD_STEP}, real: the limit of P99. */
    public static final String LOAD_LIMIT = "limit_seconds";

    /** Field of {@link Measurement#LOAD_STEP}, real: P99 less its limit. */
    public static final String LOAD_OVER_LIMIT = "over_limit_seconds";

    /** Field of {@link Measurement#LOAD_STEP}, real: the limit of P99 above which the load is cut off. */
    public static final String LOAD_BREAKER = "breaker_seconds";

    private Field() {}

    /**
     * The field of a figure.
     *
     * @param unit that ends the name; empty for a ratio
     */
    public static String estimate(String name, String unit) {
        return unit.isEmpty() ? name : name + "_" + unit;
    }

    /** The field of the lower 95 % limit of a figure. */
    public static String low(String name, String unit) {
        return estimate(name + "_low", unit);
    }

    /** The field of the upper 95 % limit of a figure. */
    public static String high(String name, String unit) {
        return estimate(name + "_high", unit);
    }

    /**
     * Field of {@link Measurement#KV_JOINT}, integer: requests in ten percent of {@link #FILL} or {@link #REUSE}.
     *
     * @param percent where these begin
     */
    public static String step(String figure, int percent) {
        return figure + "_" + percent;
    }

    /** Field of {@link Measurement#KV_JOINT}, integer: requests in one of 10 x 10 cells. */
    public static String cell(int fillPercent, int reusePercent) {
        return step(FILL, fillPercent) + "_" + step(REUSE, reusePercent);
    }

    /** Field of {@link Measurement#DRIFT}: another one as if the traffic's mix were still that of the baseline. */
    public static String adjusted(String field) {
        return "adjusted_" + field;
    }

    /** Field of {@link Measurement#MIX}, real: a bucket's share of the current requests. */
    public static String shareNow(String bucket) {
        return "share_" + bucket + "_current";
    }

    /** Field of {@link Measurement#MIX}, real: a bucket's share of the baseline's requests. */
    public static String shareThen(String bucket) {
        return "share_" + bucket + "_baseline";
    }
}
