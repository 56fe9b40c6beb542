package io.inferwatch.probes.engine.exposition;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Pages written in the test, read one after the other by one reader. */
final class ReadPage implements PageReader.Samples<ReadPage.Identity> {
    private final PageReader<Identity> reader;
    private final List<Sample> samples = new ArrayList<>();
    private final List<Rejection> rejections = new ArrayList<>();

    record Identity(String name, Map<String, String> labels) {}

    record Sample(String name, Map<String, String> labels, double value, long atMillis) {}

    ReadPage() {
        this(10_000);
    }

    ReadPage(int maxSeries) {
        reader = new PageReader<>(maxSeries, Identity::new);
    }

    ReadPage read(String page) {
        return read(page, false);
    }

    ReadPage read(String page, boolean openMetrics) {
        try {
            return read(page.getBytes(StandardCharsets.UTF_8), openMetrics);
        } catch (IncompletePageException e) {
            throw new AssertionError(e);
        }
    }

    ReadPage read(byte[] page, boolean openMetrics) throws IncompletePageException {
        samples.clear();
        rejections.clear();
        reader.read(page, 0, page.length, openMetrics, this);
        return this;
    }

    List<Sample> samples() {
        return List.copyOf(samples);
    }

    List<Rejection> rejections() {
        return List.copyOf(rejections);
    }

    int remembered() {
        return reader.size();
    }

    /** The value of the only series of this name. */
    double value(String name) {
        List<Sample> found =
                samples.stream().filter(sample -> sample.name().equals(name)).toList();
        if (found.size() != 1) {
            throw new AssertionError(name + ": must be there once, found " + found);
        }
        return found.get(0).value();
    }

    @Override
    public void sample(Identity series, double value, long atMillis) {
        samples.add(new Sample(series.name(), series.labels(), value, atMillis));
    }

    @Override
    public void rejected(Rejection reason) {
        rejections.add(reason);
    }
}
