package io.inferwatch.influx;

/** Names of tags and fields that no metric lends its own to. */
public final class Field {
    /** Tag of {@link Measurement#REQUEST}: the view of the metric catalogue. */
    public static final String VIEW = "view";

    /** Tag of {@link Measurement#REQUEST} in {@link RetentionPolicy#RUNS}: length of the window, as in 1s, 1m, 1h. */
    public static final String WINDOW = "window";

    /** Field of {@link Measurement#REQUEST}, integer: requests that ended in the window. */
    public static final String REQUESTS = "requests";

    /** Field of the measurements of samples, integer: samples that fell into the window. */
    public static final String SAMPLES = "samples";

    /** Field of {@link Measurement#REQUEST}, integer: how often the window was corrected. */
    public static final String REVISION = "revision";

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

    private Field() {}
}
