package io.inferwatch.probes.engine;

import io.inferwatch.probes.engine.exposition.IncompletePageException;
import io.inferwatch.probes.engine.exposition.Rejection;
import io.inferwatch.probes.engine.mapping.MappingTable;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.GpuSample;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** A target whose pages are written in the test, ten seconds apart, the first at second 1,000 of the epoch. */
final class ScrapedTarget {
    private static final SeriesIndex INDEX = new SeriesIndex(MappingTable.builtIn());
    private static final int MAX_SERIES = 1_000;

    private final TargetReadings readings;
    private long atSeconds = 990;

    ScrapedTarget() {
        this(INDEX, MAX_SERIES);
    }

    ScrapedTarget(SeriesIndex index, int maxSeries) {
        readings = new TargetReadings(index, maxSeries);
    }

    TargetReadings.Page page(String... lines) {
        return page(false, lines);
    }

    TargetReadings.Page page(boolean openMetrics, String... lines) {
        atSeconds += 10;
        byte[] text = (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
        try {
            return readings.read(text, 0, text.length, openMetrics, atSeconds * 1_000_000);
        } catch (IncompletePageException e) {
            throw new AssertionError(e);
        }
    }

    EngineSample engine(String... lines) {
        return Objects.requireNonNull(page(lines).engine());
    }

    /** The sample of a GPU's whole board. */
    GpuSample board(String... lines) {
        return gpus(lines).stream()
                .filter(gpu -> gpu.getMigId() == null)
                .findFirst()
                .orElseThrow();
    }

    List<GpuSample> gpus(String... lines) {
        return page(lines).gpus();
    }

    Optional<EngineSample> noEngine(String... lines) {
        return Optional.ofNullable(page(lines).engine());
    }

    Map<Rejection, Long> rejections() {
        return readings.rejections();
    }

    TargetReadings readings() {
        return readings;
    }
}
