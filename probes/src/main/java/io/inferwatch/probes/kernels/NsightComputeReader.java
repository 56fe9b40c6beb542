package io.inferwatch.probes.kernels;

import io.inferwatch.probes.kernels.KernelCall.Counted;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;

/**
 * CSV of Nsight Compute. Page {@code details} has a line for each metric of a launch, named as people read it; page {@code raw} has a line a launch, a column a
 * metric, and the units in a second header. Lines before the header ({@code ==PROF== ...}) are the program's and the profiler's talk. Numbers have commas
 * between thousands; a metric that was not collected is empty or {@code n/a}.
 */
final class NsightComputeReader {
    private static final String KERNEL = "Kernel Name";
    private static final String ID = "ID";
    private static final String METRIC = "Metric Name";

    private static final Map<String, Counted> COUNTED = Map.ofEntries(
            Map.entry("Executed Ipc Active", Counted.INSTRUCTIONS_PER_CYCLE),
            Map.entry("sm__inst_executed.avg.per_cycle_active", Counted.INSTRUCTIONS_PER_CYCLE),
            Map.entry("L1/TEX Hit Rate", Counted.L1_HIT_RATIO),
            Map.entry("l1tex__t_sector_hit_rate.pct", Counted.L1_HIT_RATIO),
            Map.entry("L2 Hit Rate", Counted.L2_HIT_RATIO),
            Map.entry("lts__t_sector_hit_rate.pct", Counted.L2_HIT_RATIO),
            Map.entry("lts__t_requests.sum", Counted.L2_REQUESTS),
            Map.entry("lts__t_bytes.sum", Counted.L2_BYTES),
            Map.entry("dram__bytes_read.sum", Counted.DRAM_READ_BYTES),
            Map.entry("dram__bytes_write.sum", Counted.DRAM_WRITTEN_BYTES),
            Map.entry("Achieved Occupancy", Counted.OCCUPANCY_RATIO),
            Map.entry("sm__warps_active.avg.pct_of_peak_sustained_active", Counted.OCCUPANCY_RATIO),
            Map.entry("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", Counted.TENSOR_RATIO),
            Map.entry("Compute (SM) Throughput", Counted.SM_RATIO),
            Map.entry("sm__throughput.avg.pct_of_peak_sustained_elapsed", Counted.SM_RATIO));

    /** Instructions of threads, and how many floating-point operations each is. */
    private static final Map<String, Integer> FLOPS = Map.of(
            "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 1,
            "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 1,
            "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 2,
            "smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", 1,
            "smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", 1,
            "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", 2);

    private static final List<String> DURATION = List.of("Duration", "gpu__time_duration.sum");

    private final Path file;
    private final Consumer<KernelCall> calls;

    /** A launch, as far as it was read. */
    private static final class Launch {
        private final String kernel;
        private final Map<Counted, Double> counted = new EnumMap<>(Counted.class);
        private @Nullable Long durationNanos;

        Launch(String kernel) {
            this.kernel = kernel;
        }

        KernelCall call() {
            return new KernelCall(
                    KernelNames.plain(kernel),
                    KernelNames.stageOfKernel(kernel).orElse(null),
                    null,
                    null,
                    null,
                    durationNanos,
                    counted);
        }
    }

    private NsightComputeReader(Path file, Consumer<KernelCall> calls) {
        this.file = file;
        this.calls = calls;
    }

    static void read(Path file, Consumer<KernelCall> calls) {
        new NsightComputeReader(file, calls).read();
    }

    private void read() {
        try (BufferedReader reader = ProfileFile.open(file)) {
            String header = header(reader);
            try (CSVParser parser = CSVFormat.DEFAULT.parse(reader)) {
                Map<String, Integer> columns = columns(header);
                if (columns.containsKey(METRIC)) {
                    readDetails(parser, columns);
                } else {
                    readRaw(parser, columns);
                }
            }
        } catch (IOException e) {
            throw ProfileFile.unreadable(file, e);
        } catch (UncheckedIOException e) {
            throw new BadProfileException(file + ": must be CSV of Nsight Compute, found "
                    + (e.getCause() == null ? e.getMessage() : e.getCause().getMessage()));
        }
    }

    /** The line that names the columns. */
    private String header(BufferedReader reader) throws IOException {
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            if (line.startsWith("\"" + ID + "\"") || line.startsWith(ID + ",")) {
                return line;
            }
        }
        throw new BadProfileException(
                file + ": must have a header that begins with \"ID\", as ncu --csv writes it, found none");
    }

    private Map<String, Integer> columns(String header) throws IOException {
        Map<String, Integer> columns = new LinkedHashMap<>();
        try (CSVParser parser = CSVParser.parse(header, CSVFormat.DEFAULT)) {
            CSVRecord names = parser.iterator().next();
            for (int i = 0; i < names.size(); i++) {
                columns.putIfAbsent(names.get(i).strip(), i);
            }
        }
        if (!columns.containsKey(KERNEL)) {
            throw new BadProfileException(file + ": must have a column '" + KERNEL + "', found " + columns.keySet());
        }
        return columns;
    }

    private void readDetails(CSVParser parser, Map<String, Integer> columns) {
        String present = "";
        Launch launch = null;
        for (CSVRecord row : parser) {
            if (row.size() < columns.size()) {
                continue; // A blank line, or talk after the table.
            }
            String id = value(row, columns, ID);
            if (launch == null || !id.equals(present)) {
                hand(launch);
                launch = new Launch(value(row, columns, KERNEL));
                present = id;
            }
            note(
                    launch,
                    value(row, columns, METRIC),
                    value(row, columns, "Metric Unit"),
                    value(row, columns, "Metric Value"));
        }
        hand(launch);
    }

    private void readRaw(CSVParser parser, Map<String, Integer> columns) {
        Map<String, String> units = new HashMap<>();
        for (CSVRecord row : parser) {
            if (row.size() < columns.size()) {
                continue;
            }
            if (value(row, columns, ID).isEmpty()) {
                columns.keySet().forEach(name -> units.put(name, value(row, columns, name)));
                continue;
            }
            Launch launch = new Launch(value(row, columns, KERNEL));
            columns.keySet()
                    .forEach(name -> note(launch, name, units.getOrDefault(name, ""), value(row, columns, name)));
            hand(launch);
        }
    }

    private void hand(@Nullable Launch launch) {
        if (launch != null) {
            calls.accept(launch.call());
        }
    }

    private void note(Launch launch, String metric, String unit, String text) {
        Counted counted = COUNTED.get(metric);
        Integer flops = FLOPS.get(metric);
        boolean isDuration = DURATION.contains(metric);
        if (counted == null && flops == null && !isDuration) {
            return;
        }
        Optional<Double> number = number(metric, text);
        if (number.isEmpty()) {
            return;
        }
        double value = number.get();
        if (isDuration) {
            launch.durationNanos = Math.round(value * nanos(metric, unit));
        } else if (counted != null) {
            launch.counted.put(counted, value * scale(metric, unit));
        } else if (flops != null) {
            launch.counted.merge(Counted.FLOPS, value * scale(metric, unit) * flops, Double::sum);
        }
    }

    private Optional<Double> number(String metric, String text) {
        if (text.isEmpty() || text.equalsIgnoreCase("n/a") || text.equalsIgnoreCase("nan")) {
            return Optional.empty();
        }
        try {
            double value = Double.parseDouble(text.replace(",", ""));
            if (value >= 0 && Double.isFinite(value)) {
                return Optional.of(value);
            }
        } catch (NumberFormatException e) {
            // Said below, like a number that cannot be.
        }
        throw new BadProfileException(file + ": " + metric + ": must be a number from 0 on, found '" + text + "'");
    }

    private double nanos(String metric, String unit) {
        return switch (unit.toLowerCase(Locale.ROOT)) {
            case "ns", "nsecond" -> 1;
            case "us", "usecond" -> 1e3;
            case "ms", "msecond" -> 1e6;
            case "s", "second" -> 1e9;
            default ->
                throw new BadProfileException(
                        file + ": " + metric + ": must be in ns, us, ms or s, found '" + unit + "'");
        };
    }

    /** Percents are ratios; multiples of bytes and of counts are written out. */
    private static double scale(String metric, String unit) {
        return switch (unit.toLowerCase(Locale.ROOT)) {
            case "%" -> 0.01;
            case "kbyte", "k" -> 1e3;
            case "mbyte", "m" -> 1e6;
            case "gbyte", "g" -> 1e9;
            case "tbyte", "t" -> 1e12;
            default -> metric.endsWith(".pct") || metric.contains(".pct_of_") ? 0.01 : 1;
        };
    }

    private static String value(CSVRecord row, Map<String, Integer> columns, String name) {
        Integer column = columns.get(name);
        return column == null ? "" : row.get(column).strip();
    }
}
