package io.inferwatch.dashboards;

/** Units of values, by the names that Grafana knows them under. */
enum Unit {
    NONE("none"),
    /** A number, shortened from a thousand on. */
    COUNT("short"),
    SECONDS("s"),
    MILLISECONDS("ms"),
    /** From 0 to 1, shown in percent. */
    SHARE("percentunit"),
    REQUESTS_PER_SECOND("reqps"),
    TOKENS_PER_SECOND("suffix: tok/s"),
    TOKENS("suffix: tok"),
    /** A ratio to a baseline, 1 being no change. */
    TIMES("suffix: ×"),
    DOLLARS("currencyUSD"),
    BYTES("bytes"),
    BYTES_PER_SECOND("binBps"),
    WATTS("watt"),
    CELSIUS("celsius"),
    HERTZ("hertz");

    private final String grafanaName;

    Unit(String grafanaName) {
        this.grafanaName = grafanaName;
    }

    String grafanaName() {
        return grafanaName;
    }
}
