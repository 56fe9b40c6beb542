package io.inferwatch.probes.gpu;

import io.inferwatch.probes.gpu.CudaCanary.Figures;
import io.inferwatch.probes.gpu.nvml.NvmlException;
import io.inferwatch.probes.gpu.nvml.NvmlStatus;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.GpuState;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code inferwatch probe gpu check}: reads every device twice, half a second apart, and prints each field's value, or that the device lacks it and what NVML says to it.
 * Exit status 0 when all devices answered, 1 when one did not, 2 when there is no driver.
 */
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        description = "Prints what can be read of each GPU, and what cannot and why.")
final class GpuCheckCommand implements Callable<Integer> {
    private static final Duration WINDOW = Duration.ofMillis(500);
    private static final String ROW = "  %-28s %s%n";

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--config", paramLabel = "FILE", description = "As of 'inferwatch probe gpu'.")
    private @Nullable Path config;

    @Option(names = "--canary", description = "Also measures each device once with CUDA.")
    private boolean canary;

    @Override
    public Integer call() throws InterruptedException {
        CommandSpec command = spec;
        if (command == null) {
            throw new IllegalStateException("check: must be run by picocli");
        }
        try {
            GpuSettings settings = GpuCommand.settings(config, WINDOW, canary, Optional.empty());
            CudaCanary cuda = canary ? CudaCanary.load(System::nanoTime) : null;
            try (GpuSampler sampler =
                    new GpuSampler(settings, System::nanoTime, InstantSource.system(), new GpuCounters())) {
                sampler.start();
                List<GpuSample> first = sampler.round();
                // Activity is of the time between two readings.
                Thread.sleep(WINDOW.toMillis());
                List<GpuSample> samples = new ArrayList<>(sampler.round());
                // A device that does not answer is told of once.
                first.stream()
                        .filter(sample -> sample.getState() != GpuState.OK)
                        .forEach(samples::add);
                return print(sampler, samples, cuda, command.commandLine().getOut());
            }
        } catch (InvalidSettingsException | NvmlException | CudaUnavailableException e) {
            return GpuCommand.refused(command, e);
        }
    }

    private static int print(GpuSampler sampler, List<GpuSample> samples, @Nullable CudaCanary cuda, PrintWriter out) {
        sampler.obstacle().ifPresent(out::println);
        List<GpuState> states = sampler.states();
        long answering = states.stream().filter(GpuState.OK::equals).count();
        out.println(answering + " of " + states.size() + " GPUs answer");
        for (GpuSample sample : samples) {
            out.printf(
                    "GPU %s %s%s, %s, driver %s, %s%n",
                    sample.getIndex(),
                    sample.getGpu(),
                    sample.getMigId() == null ? "" : ", MIG instance " + sample.getMigId(),
                    sample.getName(),
                    sample.getDriver(),
                    sample.getState());
            if (sample.getState() != GpuState.OK) {
                continue;
            }
            Map<GpuField, NvmlStatus> lacking = sampler.lacking(sample);
            for (GpuField field : GpuField.values()) {
                for (String name : field.schemaFields()) {
                    out.printf(ROW, name, value(sample.get(name), lacking.get(field)));
                }
            }
            out.printf(ROW, "numaNode", value(sample.getNumaNode(), null));
            out.printf(ROW, "cpuAffinity", value(sample.getCpuAffinity(), null));
            out.printf(ROW, "marks", value(sample.getMarks(), null));
            Target whole = sampler.whole(sample.getGpu());
            if (cuda != null && whole != null && whole.identity().pciBusId() != null && sample.getMigId() == null) {
                print(cuda.measure(whole.identity().pciBusId()), out);
            }
        }
        out.flush();
        return answering > 0 && answering == states.size() ? 0 : 1;
    }

    private static void print(Figures figures, PrintWriter out) {
        out.printf(ROW, "canary", figures.result());
        out.printf(ROW, "launchNanos", value(figures.launchNanos(), null));
        out.printf(ROW, "deviceCopyBytesPerSecond", value(figures.deviceCopyBytesPerSecond(), null));
        out.printf(ROW, "hostToDeviceBytesPerSecond", value(figures.hostToDeviceBytesPerSecond(), null));
        out.printf(ROW, "deviceToHostBytesPerSecond", value(figures.deviceToHostBytesPerSecond(), null));
        out.printf(ROW, "largestAllocatableBytes", value(figures.largestAllocatableBytes(), null));
        out.printf(ROW, "canaryMicros", figures.micros());
    }

    private static String value(@Nullable Object value, @Nullable NvmlStatus lacking) {
        boolean isEmpty = value == null || (value instanceof List<?> list && list.isEmpty());
        if (isEmpty && lacking != null) {
            return "unsupported: " + lacking.describe();
        }
        return isEmpty ? "-" : String.valueOf(value);
    }
}
