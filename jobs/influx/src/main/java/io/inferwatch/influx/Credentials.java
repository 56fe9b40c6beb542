package io.inferwatch.influx;

import java.io.Serializable;

/** What a connection shows to the server to be let in; holds no secret, only where it is. */
public sealed interface Credentials extends Serializable {

    /** For a server without authentication. */
    record None() implements Credentials {}

    /** An API token of InfluxDB 2.x. */
    record Token(Secret token) implements Credentials {}

    /** A user of InfluxDB 1.x. */
    record UserPassword(String user, Secret password) implements Credentials {}
}
