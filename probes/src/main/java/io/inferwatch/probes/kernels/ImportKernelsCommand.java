package io.inferwatch.probes.kernels;

import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.probes.publish.KafkaOptions;
import io.inferwatch.probes.publish.KafkaPublisher;
import io.inferwatch.probes.publish.KafkaSettings;
import io.inferwatch.probes.publish.PublisherSettings;
import io.inferwatch.schemas.KernelProfile;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * {@code inferwatch import kernels}: reads whole profiles before anything is sent. Exit status 0: all are in Kafka; 1: Kafka took not all of them; 2: something
 * given is wrong.
 */
@Command(
        name = "kernels",
        mixinStandardHelpOptions = true,
        description =
                "Imports kernel timings: Nsight Compute CSV, PyTorch profiler traces, JSON lines of CUDA-event timers.")
public final class ImportKernelsCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int FAILED = 1;
    private static final int BAD_INPUT = 2;
    private static final Duration KAFKA_PATIENCE = Duration.ofSeconds(10);
    private static final Duration FLUSH_PATIENCE = Duration.ofMinutes(2);

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(paramLabel = "FILE", arity = "1..*", description = "Profiles, plain or gzip.")
    private List<Path> files = List.of();

    @Option(
            names = "--format",
            required = true,
            converter = FormatConverter.class,
            description =
                    "ncu: CSV of ncu --csv, page details or raw. kineto: trace of PyTorch's profiler. timers: JSON lines"
                            + " with kernel, duration_us and, where known, stage, precision, layer, head, flops.")
    private ProfileFormat format = ProfileFormat.NCU;

    @Option(names = "--replica", required = true, paramLabel = "NAME", description = "Replica that was profiled.")
    private String replica = "";

    @Option(names = "--model", paramLabel = "NAME", description = "Its model.")
    private @Nullable String model;

    @Option(names = "--version-label", paramLabel = "VERSION", description = "Its deployed version.")
    private @Nullable String version;

    @Option(names = "--gpu", paramLabel = "UUID", description = "The device.")
    private @Nullable String gpu;

    @Option(
            names = "--stage",
            paramLabel = "STAGE",
            description = "Stage of calls for which the profile says none: prefill, decode, attention, mlp ...")
    private @Nullable String stage;

    @Option(
            names = "--precision",
            paramLabel = "MIX",
            description = "Precision mix of calls for which the profile says none, e.g. fp16+int4.")
    private @Nullable String precision;

    @Option(
            names = "--at",
            paramLabel = "INSTANT",
            description =
                    "When it was profiled, e.g. 2026-11-30T10:00:00Z, at most ten minutes ago for it to be counted. Default: now.")
    private @Nullable Instant at;

    @Mixin
    private KafkaOptions kafkaOptions = new KafkaOptions();

    /** A format by its name in lower case. */
    static final class FormatConverter implements ITypeConverter<ProfileFormat> {
        @Override
        public ProfileFormat convert(String text) {
            for (ProfileFormat format : ProfileFormat.values()) {
                if (format.name().toLowerCase(Locale.ROOT).equals(text)) {
                    return format;
                }
            }
            throw new TypeConversionException("must be ncu, kineto or timers, found '" + text + "'");
        }
    }

    @Override
    public Integer call() {
        CommandSpec command = spec;
        if (command == null) {
            throw new IllegalStateException("kernels: must be run by picocli");
        }
        PrintWriter err = command.commandLine().getErr();
        try {
            return run(command.commandLine().getOut(), err);
        } catch (InvalidSettingsException | BadProfileException e) {
            err.println("inferwatch import kernels: " + e.getMessage());
            err.flush();
            return BAD_INPUT;
        }
    }

    private int run(PrintWriter out, PrintWriter err) {
        KafkaSettings kafka = kafkaOptions.settings();
        List<Profile> profiles = files.stream().map(this::read).toList();
        kafka.requireTopic(Topic.KERNELS, KAFKA_PATIENCE);
        String instance = "import-" + UUID.randomUUID().toString().substring(0, 8);
        try (EventPublisher publisher = new KafkaPublisher(PublisherSettings.of(instance, kafka))) {
            for (Profile profile : profiles) {
                for (KernelProfile record : profile.summary.records()) {
                    publish(publisher, record, profile.name);
                }
                out.println(profile.file + ": " + profile.summary.calls() + " calls of "
                        + profile.summary.records().size() + " kernels and stages");
            }
            boolean isEmpty = publisher.flush(FLUSH_PATIENCE);
            long dropped = publisher.counters().droppedTotal();
            out.flush();
            if (!isEmpty || dropped > 0) {
                err.println("inferwatch import kernels: Kafka did not take all of it: "
                        + publisher.counters().acknowledged() + " records are in, " + dropped + " were dropped");
                err.flush();
                return FAILED;
            }
            return OK;
        }
    }

    private record Profile(Path file, String name, ProfileSummary summary) {}

    private Profile read(Path file) {
        ProfileSummary summary = new ProfileSummary();
        format.read(
                file,
                call -> summary.add(new KernelCall(
                        call.kernel(),
                        call.stage() == null ? stage : call.stage(),
                        call.precision() == null ? precision : call.precision(),
                        call.layer(),
                        call.head(),
                        call.durationNanos(),
                        call.counted())));
        if (summary.calls() == 0) {
            throw new BadProfileException(file + ": must hold at least one kernel, found none");
        }
        return new Profile(file, ProfileFile.name(file), summary);
    }

    private void publish(EventPublisher publisher, KernelProfile record, String profile) {
        Instant when = at == null ? Instant.now() : at;
        record.setProfiledAtMicros(when.toEpochMilli() * 1_000);
        record.setReplica(replica);
        record.setModel(model);
        record.setVersion(version);
        record.setGpu(gpu);
        record.setProfiler(format.profiler());
        record.setProfile(profile);
        // What the publisher then has no room for, it counts.
        var unusedRoom = publisher.awaitRoom(FLUSH_PATIENCE);
        var unused = publisher.publish(Topic.KERNELS, replica, record);
    }
}
