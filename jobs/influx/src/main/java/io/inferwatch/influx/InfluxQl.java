package io.inferwatch.influx;

/** Quoting for queries, so that no name or value can end its place in one. */
public final class InfluxQl {
    private InfluxQl() {}

    /** A name of a database, policy, measurement, tag or field. */
    public static String identifier(String name) {
        return '"' + name.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }

    /** A text to compare with. */
    public static String string(String value) {
        return '\'' + value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + '\'';
    }

    /** An instant in epoch microseconds. */
    public static String instant(long epochMicros) {
        return epochMicros + "u";
    }
}
