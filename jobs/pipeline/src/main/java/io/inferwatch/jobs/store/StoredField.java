package io.inferwatch.jobs.store;

/** A field of a point, for whoever draws or checks dashboards. */
public record StoredField(String name, Type type, String help) {

    /** A field's type, the same for ever. */
    public enum Type {
        INTEGER,
        REAL,
        TEXT
    }
}
