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
    /** One point per step of a load run, in {@link RetentionPolicy#RUNS}: P99 of its worst minute against its limit. Tags: view, run, step, verdict. */
    LOAD_STEP("load_step"),
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
