package io.inferwatch.jobs.detect;

import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.GroupingDimension;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How a statistic of a series stands, on its way to where all are looked at together.
 *
 * @param series the series
 * @param watched the statistic, and what it is held against
 * @param labels the view and the series' dimensions, as {@link #labels} writes them
 * @param endMillis end of the window, epoch milliseconds
 * @param anomalous whether it is out of order
 * @param recovered whether it was with the window before, and is no more
 * @param told whether it is so improbable that somebody is to be told
 * @param lasting whether it was told with the window before, too
 * @param promoted whether that may be an alert
 * @param result the {@link io.inferwatch.schemas.FigureResult}, encoded, of what is out of order; else empty
 */
public record Standing(
        String series,
        String watched,
        String labels,
        long endMillis,
        boolean anomalous,
        boolean recovered,
        boolean told,
        boolean lasting,
        boolean promoted,
        byte[] result) {
    /** Of what is in order there is nothing to show. */
    static final byte[] NOTHING = {};

    /** The labels by which the window's series can be like others; what has none of a dimension shares nothing by it. */
    static String labels(WindowStat window) {
        return text(Stream.concat(Stream.of(new Dimension("view", window.getView())), window.getDimensions().stream())
                .filter(label -> !label.getValue().equals(GroupingDimension.NONE)
                        && !label.getValue().equals(GroupingDimension.OTHER))
                .collect(Collectors.toMap(Dimension::getName, Dimension::getValue)));
    }

    /** One line for each label, in order of their names. */
    static String text(Map<String, String> labels) {
        return new TreeMap<>(labels)
                .entrySet().stream()
                        .map(label -> label.getKey() + '=' + label.getValue())
                        .collect(Collectors.joining("\n"));
    }

    /** The labels that such a text holds. */
    static Map<String, String> labels(String text) {
        Map<String, String> labels = new TreeMap<>();
        text.lines().forEach(line -> {
            int equals = line.indexOf('=');
            labels.put(line.substring(0, equals), line.substring(equals + 1));
        });
        return labels;
    }
}
