package io.inferwatch.simulation.http;

import java.util.Locale;

/**
 * A page of metrics in Prometheus' text format. Written by hand because vLLM's names (a histogram that ends in {@code _total}, a gauge in
 * {@code _info}) are what client libraries refuse.
 */
final class ExpositionText {
    private final StringBuilder page = new StringBuilder(16_384);
    private final String labels;

    /**
     * An empty page.
     *
     * @param labels of every sample, as {@code name="value",...}
     */
    ExpositionText(String labels) {
        this.labels = labels;
    }

    void family(String name, String type, String help) {
        page.append("# HELP ").append(name).append(" Simulated: ").append(help).append('\n');
        page.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    }

    void sample(String name, String moreLabels, double value) {
        page.append(name).append('{').append(labels);
        if (!moreLabels.isEmpty()) {
            page.append(',').append(moreLabels);
        }
        page.append("} ").append(number(value)).append('\n');
    }

    void sample(String name, String moreLabels, long value) {
        sample(name, moreLabels, (double) value);
    }

    void counter(String name, String help, long value) {
        family(name, "counter", help);
        sample(name, "", value);
    }

    void histogram(String name, String help, Histogram histogram) {
        family(name, "histogram", help);
        for (int bucket = 0; bucket < histogram.bounds(); bucket++) {
            String bound = "le=\"" + number(histogram.bound(bucket)) + "\"";
            sample(name + "_bucket", bound, histogram.countUpTo(bucket));
        }
        sample(name + "_bucket", "le=\"+Inf\"", histogram.count());
        sample(name + "_sum", "", histogram.sum());
        sample(name + "_count", "", histogram.count());
    }

    @Override
    public String toString() {
        return page.toString();
    }

    /** As Python writes it, like the engine that this imitates. */
    private static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? String.format(Locale.ROOT, "%.1f", value)
                : Double.toString(value);
    }
}
