package io.inferwatch.influx;

/** The measurements that are stored. Dashboards and alert rules are checked against these names. */
public enum Measurement {
    /** One point per series and window: all metrics of the view. Tags: view, the view's dimensions. */
    REQUEST("request"),
    /** One point per series and window of what engines tell of themselves. Tags: view, the view's dimensions. */
    ENGINE("engine"),
    /** One point per series and window of GPUs and MIG instances. Tags: view, the view's dimensions. */
    GPU("gpu"),
    /** One point per series and window of imported kernel profiles. Tags: view, the view's dimensions. */
    KERNEL("kernel"),
    /** One point per series and window of what operators measure themselves. Tags: view, the view's dimensions. */
    OPERATOR("operator"),
    /** One point per series, metric, statistic and window that was judged. Tags: view, the view's dimensions without the mix, metric, statistic. */
    DRIFT("drift"),
    /** Beside {@link #DRIFT}, where the mix of requests is known: how much of the change is the server, how much the traffic. Same tags. */
    MIX("mix"),
    /** One point per two values of a dimension compared. Tags: comparison, view, the view's dimensions, against, metric, statistic. */
    COMPARISON("comparison"),
    /** One point per stage of the service chain and window. Tags: view, the group's dimensions, stage. */
    STAGE("stage"),
    /** One point per shape of prompts and window. Tags: view, the group's dimensions. */
    PROMPT_SHAPE("prompt_shape"),
    /** One point per window of how contexts and the KV cache were used together. Tags: view, the group's dimensions. */
    KV_JOINT("kv_joint"),
    /** One point per GPU or MIG instance and minute: for which share of the time what held it back. Tags: view, gpu, mig, node. */
    BOTTLENECK("bottleneck"),
    /** One point per GPU or MIG instance and minute: where it sits and where its processes may run. Tags: view, gpu, mig, node. */
    PLACEMENT("placement"),
    /** One point per replica and minute: captures of CUDA graphs beside the unrest of batches. Tags: view, replica, model, version. */
    GRAPH_CAPTURE("graph_capture"),
    /** One point per model and hour: whether captures fail where batches are restless, over the day before it. Tags: view, model. */
    JITTER_STUDY("jitter_study"),
    /** One point per replica and window: how far its scheduler is from an ideal one. Tags: view, replica, model, version. */
    SCHEDULER("scheduler"),
    /** One point per unit that shares a device and minute: what meeting the others costs it. Tags: view, replica, device, modality. */
    CONTENTION("contention"),
    /** One point per mix of precisions in the kernel profiles of a replica and minute: caches. Tags: view, replica, model, precision. */
    KERNEL_CACHE("kernel_cache"),
    /** One point per stage of a replica's kernel profiles and minute: its calls as each source timed them. Tags: view, replica, model, stage. */
    KERNEL_TIMING("kernel_timing"),
    /** One point per device and minute: where its memory goes, and when it is full. Tags: view, the view's dimensions, replica. */
    MEMORY("memory"),
    /** One point per device and minute with readings of its allocator. Tags: view, the view's dimensions, replica. */
    FRAGMENTATION("fragmentation"),
    /** One point per replica and minute of its KV cache. Tags: view, the view's dimensions. */
    KV_CACHE("kv_cache"),
    /** One point per model, version and hour where padding is configured. Tags: view, the view's dimensions. */
    PADDING("padding"),
    /** One point per step of a load run, in {@link RetentionPolicy#RUNS}: P99 of its worst minute against its limit. Tags: view, run, step. */
    LOAD_STEP("load_step"),
    /** One point per statistic that is watched for anomalies, series and minute. Tags: view, the view's dimensions, metric, statistic. */
    ANOMALY("anomaly"),
    /** One point per statistic, replica and minute: where it stands among those that do the same work. Tags: view, the view's dimensions, metric, statistic. */
    STRAGGLER("straggler"),
    /** One point per change of what anomalous series have in common: begun, wider, over. Tags: view, finding. */
    ANOMALY_FINDING("anomaly_finding"),
    /** One point per window of what serving cost: of a kind of device by model and version (view gpu-product), of a tenant (view tenant-model). Tags: view, model, and version and product, or tenant. */
    COST("cost"),
    /** Beside {@link #COST} of a kind of device: what the same load would cost on each device with a price. Tags: view, model, version, product, device. */
    DEVICE_CHOICE("device_choice"),
    /** One point per tenant and minute: how restless its latency is, and what the others' load does to it. Tags: view, tenant. */
    TENANT("tenant"),
    /** One point per alert that began to fire and likely cause of it. Tags: view, alert, fingerprint, rank. */
    CAUSE("cause"),
    /** One point per objective, series and minute: how its error budget stands. Tags: view, the view's dimensions, slo, service. */
    SLO("slo"),
    /** One point per change of an alert's state. Tags: alert, fingerprint. */
    ALERT("alert"),
    /** One point per reading of Inferwatch's own state. Tags: component, instance. Fields as the component names them. */
    HEALTH("inferwatch_health");

    private final String measurementName;

    Measurement(String measurementName) {
        this.measurementName = measurementName;
    }

    /** Its name in InfluxDB. */
    public String measurementName() {
        return measurementName;
    }
}
