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

    /** Tag of {@link Measurement#DRIFT}, {@link Measurement#MIX}, {@link Measurement#COMPARISON}, {@link Measurement#ANOMALY} and {@link Measurement#STRAGGLER}: a metric or ratio of the catalogue. */
    public static final String METRIC = "metric";

    /** Tag of {@link Measurement#DRIFT}, {@link Measurement#MIX}, {@link Measurement#COMPARISON}, {@link Measurement#ANOMALY} and {@link Measurement#STRAGGLER}: p50, p90, p95, p99, mean, share or rate. */
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

    /** Field of {@link Measurement#DRIFT}, {@link Measurement#COMPARISON}, {@link Measurement#ANOMALY} and {@link Measurement#STRAGGLER}, text: of what is measured: current and baseline, or observed. */
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

    /** Field of {@link Measurement#DRIFT}, {@link Measurement#COMPARISON}, {@link Measurement#STAGE}, {@link Measurement#PROMPT_SHAPE}, {@link Measurement#KV_JOINT}, {@link Measurement#SCHEDULER}, {@link Measurement#LOAD_STEP}, {@link Measurement#MEMORY}, {@link Measurement#FRAGMENTATION}, {@link Measurement#KV_CACHE} and {@link Measurement#PADDING}, integer: values, trials, events or samples now. */
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

    /** Tag of {@link Measurement#ALERT} and {@link Measurement#CAUSE}: the alert's name. */
    public static final String ALERT = "alert";

    /** Tag of {@link Measurement#ALERT} and {@link Measurement#CAUSE}: its identity over restarts. */
    public static final String FINGERPRINT = "fingerprint";

    /** Field of {@link Measurement#ALERT}, {@link Measurement#ANOMALY} and {@link Measurement#ANOMALY_FINDING}, text: of alerts PENDING, FIRING, RESOLVED or EXPIRED; of series LEARNING, OK, SUSPECT, ANOMALOUS or STALE; of findings OPEN, RESOLVED, EXPIRED or MERGED. */
    public static final String STATE = "state";

    /** Field of {@link Measurement#ALERT}, text: PAGE, TICKET or ANNOTATION. */
    public static final String SEVERITY = "severity";

    /** Field of {@link Measurement#ALERT} and {@link Measurement#ANOMALY_FINDING}, text: one sentence. */
    public static final String SUMMARY = "summary";

    /** Field of {@link Measurement#ALERT} and {@link Measurement#ANOMALY_FINDING}, integer: when the condition began, epoch microseconds. */
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

    /** Tag of {@link Measurement#STAGE} and {@link Measurement#KERNEL_TIMING}: a stage of the service chain, or {@code chain} for all of them; of profiles their stage, else the kernel. */
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

    /** Field of {@link Measurement#BOTTLENECK}, text: what held for most of the minute: bandwidth, compute, underused, balanced or unknown. */
    public static final String LIMIT = "limit";

    /** Field of {@link Measurement#BOTTLENECK}, real: time that readings stand for; all shares are of it, what is unknown included. */
    public static final String OBSERVED_SECONDS = "observed_seconds";

    /** Field of {@link Measurement#BOTTLENECK}, real: share of time in which tensor cores waited for memory: bandwidth above 85 %, tensor cores below 60 %. */
    public static final String BANDWIDTH_BOUND = "bandwidth_bound";

    /** Field of {@link Measurement#BOTTLENECK}, real: share of time in which memory waited for tensor cores: bandwidth below 40 %, tensor cores above 80 %. */
    public static final String COMPUTE_BOUND = "compute_bound";

    /** Field of {@link Measurement#BOTTLENECK}, real: share of time in which neither was busy: bandwidth below 40 %, tensor cores below 60 %. */
    public static final String UNDERUSED = "underused";

    /** Field of {@link Measurement#BOTTLENECK}, real: share of time in which both worked and neither alone was the limit. */
    public static final String BALANCED = "balanced";

    /** Field of {@link Measurement#BOTTLENECK}, real: share of time for which a reading is missing, or the two are not of the same window. */
    public static final String UNKNOWN = "unknown";

    /** Field of {@link Measurement#BOTTLENECK}, real: share of time in which the busier direction of PCIe was above 85 %. */
    public static final String PCIE_SATURATED = "pcie_saturated";

    /** Field of {@link Measurement#BOTTLENECK}, real: share of time in which NVLink was. */
    public static final String NVLINK_SATURATED = "nvlink_saturated";

    /** Field of {@link Measurement#BOTTLENECK}, real: share of time in which neither link's use was known. */
    public static final String LINKS_UNKNOWN = "links_unknown";

    /** Field of {@link Measurement#BOTTLENECK}, real: share of time in which tensor cores waited for memory and a link was saturated too. */
    public static final String BANDWIDTH_AND_LINK = "bandwidth_and_link";

    /** Field of {@link Measurement#BOTTLENECK}, text: known; capacity unknown; not read. */
    public static final String PCIE = "pcie";

    /** Field of {@link Measurement#BOTTLENECK}, text: the same of NVLink. */
    public static final String NVLINK = "nvlink";

    /** Field of {@link Measurement#PLACEMENT}, text: near; far, when a process runs on none of the processors near the device; unknown. */
    public static final String PLACED = "placed";

    /** Field of {@link Measurement#PLACEMENT}, integer: number of the device on its host. */
    public static final String DEVICE_INDEX = "device_index";

    /** Field of {@link Measurement#PLACEMENT}, integer: the device's NUMA node; absent where the host has none. */
    public static final String NUMA_NODE = "numa_node";

    /** Field of {@link Measurement#PLACEMENT}, text: processors near the device. */
    public static final String RECOMMENDED_CPUS = "recommended_cpus";

    /** Field of {@link Measurement#PLACEMENT}, text: processors on which the process may run. */
    public static final String ACTUAL_CPUS = "actual_cpus";

    /** Field of {@link Measurement#PLACEMENT}, text: name and number of a process that is far, else of the first. */
    public static final String PROCESS = "process";

    /** Field of {@link Measurement#PLACEMENT}, integer: processes that hold memory of the device. */
    public static final String PROCESSES = "processes";

    /** Field of {@link Measurement#PLACEMENT}, integer: how many of them are far. */
    public static final String FAR_PROCESSES = "far_processes";

    /** Field of {@link Measurement#PLACEMENT}, text: the command that brings the far process near; absent while none is. */
    public static final String COMMAND = "command";

    /** Field of {@link Measurement#PLACEMENT}, text: what to start it with, so that its memory is near too. */
    public static final String START = "start";

    /** Field of {@link Measurement#PLACEMENT}, integer 0 or 1: whether far has lasted two minutes of three. */
    public static final String MISPLACED = "misplaced";

    /** Field of {@link Measurement#GRAPH_CAPTURE}, integer: captures before the process had run a step. */
    public static final String START_UP_CAPTURES = "start_up_captures";

    /** Field of {@link Measurement#GRAPH_CAPTURE}, integer: how many of these failed. */
    public static final String START_UP_FAILURES = "start_up_failures";

    /** Field of {@link Measurement#GRAPH_CAPTURE}, integer: later captures, of shapes that come for the first time. */
    public static final String LAZY_CAPTURES = "lazy_captures";

    /** Field of {@link Measurement#GRAPH_CAPTURE}, integer: how many of these failed. */
    public static final String LAZY_FAILURES = "lazy_failures";

    /** Field of {@link Measurement#GRAPH_CAPTURE}, real with limits: failed by all lazy captures. */
    public static final String LAZY_FAILURE_RATIO = "lazy_failure_ratio";

    /** Field of {@link Measurement#GRAPH_CAPTURE}, real: steps that ran without a graph, by all. */
    public static final String FALLBACK_RATIO = "fallback_ratio";

    /** Field of {@link Measurement#GRAPH_CAPTURE}, real: standard deviation of the durations of steps. */
    public static final String STEP_JITTER_SECONDS = "step_jitter_seconds";

    /** Field of {@link Measurement#GRAPH_CAPTURE}, real: free device memory by all of it. */
    public static final String FREE_MEMORY_RATIO = "free_memory_ratio";

    /** Field of {@link Measurement#GRAPH_CAPTURE}, integer: batches whose size is known. */
    public static final String BATCHES = "batches";

    /** Field of {@link Measurement#GRAPH_CAPTURE}, integer: batch sizes that had not run since the process came up. */
    public static final String NEW_SHAPES = "new_shapes";

    /** Field of {@link Measurement#GRAPH_CAPTURE}, integer: batch sizes that have run since then. */
    public static final String SEEN_SHAPES = "seen_shapes";

    /** Field of {@link Measurement#GRAPH_CAPTURE}, real: requests of a batch on average. */
    public static final String BATCH_MEAN = "batch_mean";

    /** Field of {@link Measurement#GRAPH_CAPTURE}, real: standard deviation of batch sizes by their mean. */
    public static final String BATCH_VARIATION = "batch_variation";

    /** Field of {@link Measurement#JITTER_STUDY}, text: observed, where replicas ran as they were; randomised, where the configuration names an experiment. */
    public static final String ASSIGNMENT = "assignment";

    /** Field of {@link Measurement#JITTER_STUDY}, real with limits: of an experiment, the share of captures that fail under the changed policy less that under the baseline. */
    public static final String FAILURE_DIFFERENCE = "failure_difference";

    /** Field of {@link Measurement#JITTER_STUDY}, text: all that may be said: insufficient, no_association, association, temporal_order_supported, placebo_passed; cause only where it was dealt out. */
    public static final String WORDING = "wording";

    /** Field of {@link Measurement#JITTER_STUDY}, text: the same as a sentence. */
    public static final String SENTENCE = "sentence";

    /** Field of {@link Measurement#JITTER_STUDY}, integer: failed captures that it stands on. */
    public static final String FAILURES = "failures";

    /** Field of {@link Measurement#JITTER_STUDY}, integer: replicas that tell something. */
    public static final String REPLICAS = "replicas";

    /** Field of {@link Measurement#JITTER_STUDY}, real with limits: failures per capture after twenty minutes with jitter greater by its standard deviation, by those without; free memory and load the same. */
    public static final String FAILURE_RATIO = "failure_ratio";

    /** Field of {@link Measurement#JITTER_STUDY}, real with limits: the same by the ten minutes just before alone. */
    public static final String LAG_1_RATIO = "lag_1_ratio";

    /** Field of {@link Measurement#JITTER_STUDY}, real with limits: by the ten minutes before these. */
    public static final String LAG_2_RATIO = "lag_2_ratio";

    /** Field of {@link Measurement#JITTER_STUDY}, real with limits: jitter above its median against below, within strata, without a model. */
    public static final String STRATIFIED_RATIO = "stratified_ratio";

    /** Field of {@link Measurement#JITTER_STUDY}, real: chance of this, did jitter foretell nothing beyond past failures. */
    public static final String FORWARD_P = "forward_p";

    /** Field of {@link Measurement#JITTER_STUDY}, real: chance of this, did failures foretell no jitter. */
    public static final String REVERSE_P = "reverse_p";

    /** Field of {@link Measurement#JITTER_STUDY}, text: whether later jitter tells nothing, and surely less: passed, failed, inconclusive. */
    public static final String PLACEBO = "placebo";

    /** Field of {@link Measurement#JITTER_STUDY}, real with limits: ratio of failures by jitter of the two windows after. */
    public static final String AFTER_RATIO = "after_ratio";

    /** Field of {@link Measurement#JITTER_STUDY}, real with limits: the ratio with new shapes held fast. */
    public static final String DIRECT_RATIO = "direct_ratio";

    /** Field of {@link Measurement#JITTER_STUDY}, real with limits: the ratio by way of new shapes. */
    public static final String BY_NEW_SHAPES_RATIO = "by_new_shapes_ratio";

    /** Field of {@link Measurement#JITTER_STUDY}, real: ratio to both that an unseen common cause would need to explain it. */
    public static final String E_VALUE = "e_value";

    /** Field of {@link Measurement#SCHEDULER}, real with limits: sigma_lat: standard deviation of whole requests' latency by its mean. */
    public static final String LATENCY_VARIATION = "latency_variation";

    /** Field of {@link Measurement#SCHEDULER}, real: standard deviation of latency. */
    public static final String LATENCY_SIGMA_SECONDS = "latency_sigma_seconds";

    /** Field of {@link Measurement#SCHEDULER}, real: ideal sigma_lat: the same of the answers' lengths, as if every token took the same time. */
    public static final String LENGTH_VARIATION = "length_variation";

    /** Field of {@link Measurement#SCHEDULER}, real with limits: eta_util: standard deviation of the GPUs' utilisation over readings by its mean; ideal 0. */
    public static final String UTILISATION_VARIATION = "utilisation_variation";

    /** Field of {@link Measurement#SCHEDULER}, real: rho_fill: filled places of the batch. */
    public static final String FILL_RATE = "fill_rate";

    /** Field of {@link Measurement#SCHEDULER}, real: the same had no place been empty while a request waited. */
    public static final String IDEAL_FILL_RATE = "ideal_fill_rate";

    /** Field of {@link Measurement#SCHEDULER}, real: from 0, ideal, to 1: what scheduling adds to what lengths explain of latency. */
    public static final String LATENCY_DEVIATION = "latency_deviation";

    /** Field of {@link Measurement#SCHEDULER}, real: from 0, even, to 1. */
    public static final String UTILISATION_DEVIATION = "utilisation_deviation";

    /** Field of {@link Measurement#SCHEDULER}, real: from 0, as full as could be, to 1. */
    public static final String FILL_DEVIATION = "fill_deviation";

    /** Field of {@link Measurement#SCHEDULER}, real: root of the mean square of the three. */
    public static final String DEVIATION_INDEX = "deviation_index";

    /** Tag of {@link Measurement#CONTENTION}: the GPU that units share; the replica where operators do not tell it. */
    public static final String DEVICE = "device";

    /** Tag of {@link Measurement#CONTENTION}: the unit: text, image, audio. */
    public static final String MODALITY = "modality";

    /** Field of {@link Measurement#CONTENTION}, text: the policy by which units take turns, as operators label it; else the version. */
    public static final String SCHEDULE = "schedule";

    /** Field of {@link Measurement#CONTENTION}, text: the one before it; absent where there was none. */
    public static final String SCHEDULE_BEFORE = "schedule_before";

    /** Field of {@link Measurement#CONTENTION}, real: units of the device that were busy at once, on average over the minute. */
    public static final String UNITS_BUSY = "units_busy";

    /** Field of {@link Measurement#CONTENTION}, real: share of the minute in which two units or more were. */
    public static final String OVERLAP = "overlap";

    /** Field of {@link Measurement#CONTENTION}, real: time in which this unit was busy and no other. */
    public static final String ALONE_SECONDS = "alone_seconds";

    /** Field of {@link Measurement#CONTENTION}, real: time in which this unit and others were busy. */
    public static final String SHARED_SECONDS = "shared_seconds";

    /** Field of {@link Measurement#CONTENTION}, integer: operations since the schedule began, of sizes that came both alone and with others. */
    public static final String OPERATIONS = "operations";

    /** Field of {@link Measurement#CONTENTION}, integer: operations of other sizes, of which nothing is said. */
    public static final String UNCOVERED = "uncovered";

    /** Field of {@link Measurement#CONTENTION}, real with limits: time that an operation loses to the others, against operations of its size that met none ({@code lost_seconds}). */
    public static final String LOST = "lost";

    /** Field of {@link Measurement#CONTENTION}, real with limits: the same under the schedule before ({@code lost_before_seconds}). */
    public static final String LOST_BEFORE = "lost_before";

    /** Field of {@link Measurement#CONTENTION}, real with limits: now less before; negative is better ({@code lost_change_seconds}). */
    public static final String LOST_CHANGE = "lost_change";

    /** Field of {@link Measurement#KERNEL_CACHE}, integer: requests to the last-level cache whose hits are known. */
    public static final String CACHE_REQUESTS = "cache_requests";

    /** Field of {@link Measurement#KERNEL_CACHE}, integer: kernels whose requests are not known, or neither hits nor bytes of them. */
    public static final String KERNELS_LEFT_OUT = "kernels_left_out";

    /** Field of {@link Measurement#KERNEL_CACHE}, real: requests that went to device memory, by those whose hits are known. */
    public static final String L2_MISS_RATIO = "l2_miss_ratio";

    /** Field of {@link Measurement#KERNEL_CACHE}, real: bytes of a request, over those whose bytes are known. */
    public static final String L2_BYTES_PER_REQUEST = "l2_bytes_per_request";

    /** Field of {@link Measurement#KERNEL_CACHE}, real: hits of the first-level cache, weighted by kernels' time. */
    public static final String L1_HIT_RATIO = "l1_hit_ratio";

    /** Field of {@link Measurement#KERNEL_CACHE}, real: instructions per active cycle, weighted by kernels' time. */
    public static final String INSTRUCTIONS_PER_CYCLE = "instructions_per_cycle";

    /** Field of {@link Measurement#KERNEL_TIMING}, real: by how much the longest mean of the sources exceeds the shortest. */
    public static final String DISAGREEMENT = "disagreement";

    /** Field of {@link Measurement#MEMORY}, real: all of the device ({@code capacity_bytes}). */
    public static final String CAPACITY = "capacity";

    /** Field of {@link Measurement#MEMORY}, real: by the driver, on average over time ({@code used_bytes}). */
    public static final String USED = "used";

    /** Field of {@link Measurement#MEMORY}, real: at most ({@code used_max_bytes}). */
    public static final String USED_MAX = "used_max";

    /** Field of {@link Measurement#MEMORY}, real: weights, where the engine tells ({@code weights_bytes}); what nobody tells of lies in {@code other}. */
    public static final String WEIGHTS = "weights";

    /** Field of {@link Measurement#MEMORY}, real: the whole KV cache, full or not, where the engine tells ({@code kv_cache_bytes}). */
    public static final String KV_CACHE_PART = "kv_cache";

    /** Field of {@link Measurement#MEMORY}, real: CUDA graphs, where the engine tells ({@code graphs_bytes}). */
    public static final String GRAPHS = "graphs";

    /** Field of {@link Measurement#MEMORY}, real: free parts of split blocks ({@code fragmentation_bytes}); where these are not told all that the allocator holds and does not use ({@code fragmentation_bytes_estimated}). */
    public static final String FRAGMENTED = "fragmentation";

    /** Field of {@link Measurement#MEMORY}, real: the allocator's memory beside these ({@code workspace_bytes_estimated}). */
    public static final String WORKSPACE = "workspace";

    /** Field of {@link Measurement#MEMORY}, real: the rest ({@code other_bytes_estimated}). */
    public static final String OTHER_PART = "other";

    /** Field of {@link Measurement#MEMORY} and {@link Measurement#KV_CACHE}, integer: estimates that were impossible as computed, and were brought to the nearest that is possible. */
    public static final String CLAMPED = "clamped";

    /** Field of {@link Measurement#MEMORY} and {@link Measurement#KV_CACHE}, real with limits: of the minutes' peaks over the last two hours ({@code growth_bytes_per_second_estimated}, {@code growth_per_hour_estimated}). */
    public static final String GROWTH = "growth";

    /** Field of {@link Measurement#MEMORY} and {@link Measurement#KV_CACHE}, real with limits: when that line reaches all there is ({@code full_in_seconds_estimated}); absent where it never does, the upper limit until the growth is proven. */
    public static final String FULL_IN = "full_in";

    /** Field of {@link Measurement#FRAGMENTATION}, real: free in the allocator, of what it holds; by itself no fragmentation. */
    public static final String CACHE_SHARE = "cache_share";

    /** Field of {@link Measurement#FRAGMENTATION}, real: free parts of split blocks, of what the allocator holds. */
    public static final String SPLIT_SHARE = "split_share";

    /** Field of {@link Measurement#FRAGMENTATION}, real: outside of the largest free block, of what is free in the allocator. */
    public static final String EXTERNAL_SHARE = "external_share";

    /** Field of {@link Measurement#FRAGMENTATION}, real: too small for the largest recent request, of what is free in the allocator. */
    public static final String UNUSABLE_SHARE = "unusable_share";

    /** Field of {@link Measurement#FRAGMENTATION}, real with limits: of the minutes' greatest split share over the last two hours ({@code split_growth_per_hour_estimated}). */
    public static final String SPLIT_GROWTH = "split_growth";

    /** Field of {@link Measurement#FRAGMENTATION}, integer: allocations that flushed the cache and tried again. */
    public static final String ALLOCATION_RETRIES = "allocation_retries";

    /** Field of {@link Measurement#FRAGMENTATION}, integer: allocations that failed. */
    public static final String OUT_OF_MEMORY = "out_of_memory";

    /** Field of {@link Measurement#KV_CACHE}, real: KV cache in use, on average over time. */
    public static final String USE = "use";

    /** Field of {@link Measurement#KV_CACHE}, real: at most. */
    public static final String USE_MAX = "use_max";

    /** Field of {@link Measurement#KV_CACHE}, real: room without a token in used blocks; of the engine's own counts, else from open sequences ({@code waste_estimated}). */
    public static final String WASTE = "waste";

    /** Field of {@link Measurement#KV_CACHE}, real: room without a token in the last blocks of sequences, of the room of used blocks ({@code tail_waste_estimated}). */
    public static final String TAIL_WASTE = "tail_waste";

    /** Field of {@link Measurement#KV_CACHE}, real: cache that no layer of a hybrid model needs, where the configuration has its layers ({@code layer_waste_estimated}). */
    public static final String LAYER_WASTE = "layer_waste";

    /** Field of {@link Measurement#KV_CACHE}, real: cache with tokens that no request holds. */
    public static final String STRANDED = "stranded";

    /** Field of {@link Measurement#KV_CACHE}, integer: requests preempted. */
    public static final String PREEMPTIONS = "preemptions";

    /** Field of {@link Measurement#PADDING}, real: padding of what is taken with it, for lengths up to P99, with the present boundaries ({@code current_padding_estimated}). */
    public static final String CURRENT_PADDING = "current_padding";

    /** Field of {@link Measurement#PADDING}, real: with the best ones ({@code optimal_padding_estimated}). */
    public static final String OPTIMAL_PADDING = "optimal_padding";

    /** Field of {@link Measurement#PADDING}, real: with as many at equal ratios ({@code geometric_padding_estimated}). */
    public static final String GEOMETRIC_PADDING = "geometric_padding";

    /** Field of {@link Measurement#PADDING}, real: with as many at equal distances ({@code uniform_padding_estimated}). */
    public static final String UNIFORM_PADDING = "uniform_padding";

    /** Field of {@link Measurement#PADDING}, real: of the present padding, with the best boundaries ({@code saving_estimated}). */
    public static final String SAVING = "saving";

    /** Field of {@link Measurement#PADDING}, real: the least on a day, with boundaries found from the other ones ({@code least_saving_estimated}). */
    public static final String LEAST_SAVING = "least_saving";

    /** Field of {@link Measurement#PADDING}, integer: days that were tried on. */
    public static final String DAYS = "days";

    /** Field of {@link Measurement#PADDING}, integer 0 or 1: whether to change the boundaries. */
    public static final String RECOMMENDED = "recommended";

    /** Field of {@link Measurement#PADDING}, integer: the best boundaries, rising ({@code boundary_1} ...). */
    public static final String BOUNDARY = "boundary";

    /** Tag of {@link Measurement#LOAD_STEP}: number of the step within its run, from 1. */
    public static final String LOAD_STEP = "step";

    /** Field of {@link Measurement#LOAD_STEP}, text: pass, below-load, breach, circuit-breaker or not-estimable. */
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

    /** Tag of {@link Measurement#ANOMALY_FINDING}: its identity, by what its series have in common. */
    public static final String FINDING = "finding";

    /** Field of {@link Measurement#ANOMALY}, {@link Measurement#STRAGGLER} and {@link Measurement#CAUSE}, real: how strange it is: of a series from 0 to 1, 0.22 being at a channel's limit; of a straggler in limits; how much there is for a cause, from 0 to 1. */
    public static final String SCORE = "score";

    /** Field of {@link Measurement#ANOMALY} and {@link Measurement#STRAGGLER}, real: the statistic, in base units. */
    public static final String OBSERVED = "observed";

    /** Field of {@link Measurement#ANOMALY}, real: what it is hardly ever below at this hour; absent while that is learned. */
    public static final String EXPECTED_LOW = "expected_low";

    /** Field of {@link Measurement#ANOMALY}, real: what it is hardly ever above. */
    public static final String EXPECTED_HIGH = "expected_high";

    /** Field of {@link Measurement#ANOMALY}, real: chance of so strange a window, were all as before. */
    public static final String CHANCE = "chance";

    /** Field of {@link Measurement#ANOMALY}, text: what sees it strangest: JUMP, LEVEL, SLOW or SHAPE. */
    public static final String CHANNEL = "channel";

    /** Field of {@link Measurement#ANOMALY} and {@link Measurement#STRAGGLER}, integer 0 or 1: whether it is so improbable that somebody is to be told. */
    public static final String TOLD = "told";

    /** Field of {@link Measurement#ANOMALY}, {@link Measurement#STRAGGLER} and {@link Measurement#ANOMALY_FINDING}, integer 0 or 1: whether it may be an alert; in shadow it may not. */
    public static final String PROMOTED = "promoted";

    /** Field of {@link Measurement#ANOMALY}, integer 0 or 1: whether what was anomalous is the usual level from now on. */
    public static final String ACCEPTED = "accepted";

    /** Field of {@link Measurement#ANOMALY}, real: a Random Cut Forest's opinion where it is asked for, from 0 to 1; 0 is nothing strange. */
    public static final String FOREST_SCORE = "forest_score";

    /** Field of {@link Measurement#STRAGGLER}, real: the others' median. */
    public static final String PEERS = "peers";

    /** Field of {@link Measurement#STRAGGLER}, real: where the replica usually is among them now. */
    public static final String USUAL = "usual";

    /** Field of {@link Measurement#ANOMALY_FINDING}, integer: series that are anomalous in what they have in common. */
    public static final String ANOMALOUS = "anomalous";

    /** Field of {@link Measurement#ANOMALY_FINDING}, integer: series that have it in common at all. */
    public static final String SERIES = "series";

    /** Tag of {@link Measurement#COST} and {@link Measurement#DEVICE_CHOICE}: the product's name as probes tell it. */
    public static final String PRODUCT = "product";

    /** Tag of {@link Measurement#DEVICE_CHOICE}: a device of the price list. */
    public static final String PRICED_DEVICE = "device";

    /** Field of {@link Measurement#COST}, real: of the whole window; absent without a price, like all dollars. */
    public static final String DOLLARS = "dollars";

    /** Field of {@link Measurement#COST} and {@link Measurement#DEVICE_CHOICE}, real: of tokens at the effective throughput; absent where nobody tells prefill from decode. */
    public static final String DOLLARS_PER_THOUSAND = "per_thousand_tokens_dollars";

    /** Field of {@link Measurement#COST}, real: of tokens that somebody got, with all time. */
    public static final String ALL_IN_PER_THOUSAND = "all_in_per_thousand_tokens_dollars";

    /** Field of {@link Measurement#COST}, real: of requests answered in full, with all time. */
    public static final String DOLLARS_PER_REQUEST = "per_request_dollars";

    /** Field of {@link Measurement#COST}, real: for time without work. */
    public static final String IDLE_DOLLARS = "idle_dollars";

    /** Field of {@link Measurement#COST}, real: for generating tokens that preemption lost. */
    public static final String PREEMPTED_DOLLARS = "preempted_dollars";

    /** Field of {@link Measurement#COST}, real: for generating tokens of requests that failed. */
    public static final String FAILED_DOLLARS = "failed_dollars";

    /** Field of {@link Measurement#COST}, real: of a tenant, its part of what the model's devices cost. */
    public static final String COST_SHARE = "cost_share";

    /** Field of {@link Measurement#COST} and {@link Measurement#DEVICE_CHOICE}, real: of one device while it generates, without idling, prefill, moving KV caches and waiting for other devices. */
    public static final String EFFECTIVE_THROUGHPUT = "effective_tokens_per_second";

    /** Field of {@link Measurement#COST}, real: time of all devices together. */
    public static final String DEVICE_SECONDS = "devices_seconds";

    /** Field of {@link Measurement#COST}, real: of these, without work. */
    public static final String IDLE_SECONDS = "idle_seconds";

    /** Field of {@link Measurement#COST}, real: of these, left to generate in; absent where nobody tells prefill from decode. */
    public static final String GENERATING_SECONDS = "generating_seconds";

    /** Field of {@link Measurement#COST}, real: for these. */
    public static final String GENERATING_DOLLARS = "generating_dollars";

    /** Field of {@link Measurement#COST}, integer: tokens generated, lost ones included. */
    public static final String GENERATED_TOKENS = "generated_tokens";

    /** Field of {@link Measurement#COST}, integer: tokens that somebody got. */
    public static final String USEFUL_TOKENS = "useful_tokens";

    /** Field of {@link Measurement#COST}, integer: requests answered in full. */
    public static final String ANSWERED = "answered";

    /** Field of {@link Measurement#DEVICE_CHOICE}, integer: devices that the window's load would need. */
    public static final String DEVICES = "devices";

    /** Field of {@link Measurement#DEVICE_CHOICE}, real: of so many devices. */
    public static final String DOLLARS_PER_HOUR = "per_hour_dollars";

    /** Field of {@link Measurement#DEVICE_CHOICE}, integer: 1 for the cheapest. */
    public static final String CHEAPNESS = "cheapness";

    /** Field of {@link Measurement#TENANT}, integer: minutes of the last hour whose P99 is known. */
    public static final String JITTER_WINDOWS = "jitter_windows";

    /** Field of {@link Measurement#TENANT}, real: of the minutes' P99 of TTFT over the last hour ({@code p99_mean_seconds}). */
    public static final String P99_MEAN = "p99_mean";

    /** Field of {@link Measurement#TENANT}, real with limits: their standard deviation ({@code p99_jitter_seconds}). */
    public static final String P99_JITTER = "p99_jitter";

    /** Field of {@link Measurement#TENANT}, real with limits: what latency is multiplied by when the others' load on its replicas rises from its first to its third quartile. */
    public static final String NEIGHBOUR_RATIO = "neighbour_ratio";

    /** Field of {@link Measurement#TENANT}, real: chance of such a ratio, or one further from 1, without an effect. */
    public static final String NEIGHBOUR_P = "neighbour_p";

    /** Field of {@link Measurement#TENANT}, real: between these quartiles. */
    public static final String NEIGHBOUR_LOAD = "neighbour_load_tokens_per_second";

    /** Field of {@link Measurement#TENANT}, integer 0 or 1: whether the tenant is surely slower where its neighbours do more. */
    public static final String DISTURBED = "disturbed";

    /** Field of {@link Measurement#TENANT}, integer: replicas that tell of the neighbours' effect. */
    public static final String TENANT_REPLICAS = "replicas";

    /** Field of {@link Measurement#TENANT}, real: memory of its replicas' control groups of their limit, of the fullest. */
    public static final String CGROUP_MEMORY_SHARE = "cgroup_memory_share";

    /** Field of {@link Measurement#TENANT}, real: processor time of these groups of their limit, of the busiest. */
    public static final String CGROUP_CPU_SHARE = "cgroup_cpu_share";

    /** Field of {@link Measurement#TENANT}, real: share of the minute for which the processor limit held such a group back, of the one most held back. */
    public static final String CGROUP_THROTTLED_SHARE = "cgroup_throttled_share";

    /** Tag of {@link Measurement#CAUSE}: 1 for the likeliest. */
    public static final String RANK = "rank";

    /** Field of {@link Measurement#CAUSE}, text: its name, or unknown. */
    public static final String CAUSE_NAME = "cause";

    /** Field of {@link Measurement#CAUSE}, real: of the likeliest, how often one with such a score was right; of unknown, the rest; of others absent. */
    public static final String CAUSE_SHARE = "cause_share";

    /** Field of {@link Measurement#CAUSE}, text: what shows it, the strongest first. */
    public static final String CAUSE_EVIDENCE = "cause_evidence";

    /** Field of {@link Measurement#CAUSE}, real: how long before the alert its reading began to depart; absent where none did. */
    public static final String CAUSE_LEAD = "lead_seconds";

    /** Tag of {@link Measurement#SLO}: name of the objective. */
    public static final String SLO = "slo";

    /** Tag of {@link Measurement#SLO}: whose promise it is. */
    public static final String SERVICE = "service";

    /** Field of {@link Measurement#SLO}, text: OK, BREACH, NO_DATA or PARTIAL. */
    public static final String SLO_STATE = "state";

    /** Field of {@link Measurement#SLO}, text: the conditions that fire, separated by commas. */
    public static final String SLO_FIRING = "firing";

    /** Field of {@link Measurement#SLO}, integer: good ones of those that counted in the period so far. */
    public static final String SLO_GOOD = "good";

    /** Field of {@link Measurement#SLO}, integer: requests, or slices of time, that counted in the period so far. */
    public static final String SLO_TOTAL = "total";

    /** Field of {@link Measurement#SLO}, real: the share that is to be good. */
    public static final String SLO_TARGET = "target";

    /** Field of {@link Measurement#SLO}, real: the share that was good in the period so far. */
    public static final String SLO_ATTAINED = "attained";

    /** Field of {@link Measurement#SLO}, real: how many times as fast as it may the last hour burns the budget. */
    public static final String SLO_BURN = "burn";

    /** Field of {@link Measurement#SLO}, real: the burn over both windows of the condition that is nearest to firing, as a share of its factor; an alert is due from 1 on. */
    public static final String SLO_PRESSURE = "pressure";

    /** Field of {@link Measurement#SLO}, real: share of the period's error budget that is left; negative where more than all is spent. */
    public static final String SLO_BUDGET_LEFT = "budget_left";

    /** Field of {@link Measurement#SLO}, real: when the budget is spent if the last hour goes on; absent where it will not be within the period. */
    public static final String SLO_EXHAUSTED_IN = "exhausted_in_seconds";

    /** Field of {@link Measurement#SLO}, text: metric whose values have a limit; absent of a ratio. */
    public static final String SLO_METRIC = "metric";

    /** Field of {@link Measurement#SLO}, text: base unit of the limit; absent of a ratio. */
    public static final String SLO_UNIT = "unit";

    /** Field of {@link Measurement#SLO}, real: the limit as it was set. */
    public static final String SLO_THRESHOLD = "threshold";

    /** Field of {@link Measurement#SLO}, real: where values are counted, the bucket's edge that is nearest to the limit, at most 0.37 % away. */
    public static final String SLO_EFFECTIVE_THRESHOLD = "effective_threshold";

    private Field() {}

    /**
     * The field of a figure.
     *
     * @param unit that ends the name; empty for a ratio
     */
    public static String estimate(String name, String unit) {
        return unit.isEmpty() ? name : name + "_" + unit;
    }

    /** The unit of a figure that is an estimate, as it ends the field's name. */
    public static String estimated(String unit) {
        return unit.isEmpty() ? "estimated" : unit + "_estimated";
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

    /**
     * Field of {@link Measurement#KERNEL_TIMING}, integer: calls as a source timed them.
     *
     * @param source cuda_events, kineto or nsight_compute
     */
    public static String calls(String source) {
        return source + "_calls";
    }

    /** Field of {@link Measurement#PADDING}, integer: one of the best boundaries, from 1 on. */
    public static String boundary(int number) {
        return BOUNDARY + "_" + number;
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
