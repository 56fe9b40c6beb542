package io.inferwatch.probes.gpu;

import io.inferwatch.analytics.placement.Near;
import io.inferwatch.probes.gpu.nvml.NvmlException;
import io.inferwatch.schemas.GpuProcess;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code inferwatch probe gpu topology}: a table of MIG instance, physical GPU, NUMA node and recommended processors, with the processes that compute there; a process none
 * of whose processors is near its device is flagged, and the command that binds it follows the table. Exit status 0, 1 when one is flagged, 2 when there is no driver.
 */
@Command(
        name = "topology",
        mixinStandardHelpOptions = true,
        description = "Prints where each GPU and MIG instance sits, and which processes are bound elsewhere.")
final class GpuTopologyCommand implements Callable<Integer> {
    private static final String ROW = "%-4s %-4s %-44s %-5s %-20s %s%n";

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--config", paramLabel = "FILE", description = "As of 'inferwatch probe gpu'.")
    private @Nullable Path config;

    @Override
    public Integer call() {
        CommandSpec command = spec;
        if (command == null) {
            throw new IllegalStateException("topology: must be run by picocli");
        }
        try (GpuSampler sampler = new GpuSampler(
                GpuCommand.settings(config, Duration.ofSeconds(1), false, Optional.empty()),
                System::nanoTime,
                InstantSource.system(),
                new GpuCounters())) {
            sampler.start();
            return print(sampler, sampler.round(), command.commandLine().getOut());
        } catch (InvalidSettingsException | NvmlException e) {
            return GpuCommand.refused(command, e);
        }
    }

    private static int print(GpuSampler sampler, List<GpuSample> samples, PrintWriter out) {
        sampler.obstacle().ifPresent(out::println);
        out.printf(ROW, "GPU", "MIG", "UUID", "NUMA", "processors", "processes");
        boolean isFlagged = false;
        for (GpuSample sample : samples.stream()
                .sorted(Comparator.comparing(GpuSample::getIndex)
                        .thenComparing(one -> one.getMigId() == null ? "" : one.getMigId()))
                .toList()) {
            List<GpuProcess> processes = sample.getProcesses();
            out.printf(
                    ROW,
                    sample.getIndex(),
                    text(sampler.gpuInstanceId(sample)),
                    sample.getMigId() == null ? sample.getGpu() : sample.getMigId(),
                    text(sample.getNumaNode()),
                    text(sample.getCpuAffinity()),
                    processes.isEmpty() ? "-" : describe(processes.get(0)));
            for (GpuProcess process : processes.subList(Math.min(1, processes.size()), processes.size())) {
                out.printf(ROW, "", "", "", "", "", describe(process));
            }
            isFlagged |= processes.stream().anyMatch(GpuTopologyCommand::isFar);
        }
        samples.stream().flatMap(GpuTopologyCommand::mend).forEach(out::println);
        out.flush();
        return isFlagged ? 1 : 0;
    }

    /** Commands for what is flagged; what they do not do stands beside them, behind the shell's comment sign. */
    private static Stream<String> mend(GpuSample sample) {
        String cpus = sample.getCpuAffinity();
        if (cpus == null) {
            return Stream.empty();
        }
        Near near = new Near(cpus, sample.getNumaNode());
        String start = near.start()
                .map(command -> "; started by '" + command + " COMMAND' it has that near too")
                .orElse("");
        return sample.getProcesses().stream()
                .filter(GpuTopologyCommand::isFar)
                .map(process -> near.bind(process.getPid()) + " # leaves its memory where it is" + start);
    }

    private static boolean isFar(GpuProcess process) {
        return Boolean.TRUE.equals(process.getFarFromDevice());
    }

    private static String describe(GpuProcess process) {
        return process.getPid()
                + " " + text(process.getName())
                + " on " + text(process.getCpusAllowed())
                + (isFar(process) ? " BOUND ELSEWHERE" : "");
    }

    private static String text(@Nullable Object value) {
        return value == null ? "-" : value.toString();
    }
}
