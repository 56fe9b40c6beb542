package io.inferwatch.dashboards;

/** Colours with a meaning, legible on light and dark ground; series without one take the palette's. */
enum Tone {
    /** What is usual: medians, counts. */
    CALM("#4c8ee8"),
    /** Between the usual and the tail. */
    MIDDLE("#9a7be0"),
    /** The tail. */
    TAIL("#e8822c"),
    GOOD("#2fa56b"),
    WARNING("#d9a021"),
    BAD("#dd4b4b");

    private final String hex;

    Tone(String hex) {
        this.hex = hex;
    }

    String hex() {
        return hex;
    }
}
