package io.inferwatch.probes.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.GpuState;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.servers.KafkaBroker;
import io.inferwatch.simulation.gpu.SimulatedDriver;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands as processes of their own, which find the driver as they would on a host: by the linker. */
class GpuCommandIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern PORT = Pattern.compile("sampling GPUs every 100ms, /metrics on port (\\d+)");

    private static final Pattern CANARIES =
            Pattern.compile("inferwatch_gpu_canaries_total\\{result=\"(?:whole|cut_short)\"} (\\d+)");

    @TempDir
    private Path directory;

    private final HttpClient client = HttpClient.newHttpClient();

    private record Ended(int status, String out, String err) {}

    @Test
    void samplesAndCanariesReachKafkaAndCountersThePage() throws Exception {
        SimulatedDriver driver = driver().set("count", 2).set("power", 3_700_000);
        try (KafkaBroker broker = KafkaBroker.start()) {
            broker.createTopic(Topic.GPU.topicName(), 1, Topic.GPU.kafkaSettings());
            Process process = process(
                            "--interval",
                            "100ms",
                            "--canary",
                            "--admin-listen",
                            "0",
                            "--bootstrap-servers",
                            broker.bootstrapServers())
                    .redirectErrorStream(true)
                    .start();
            try (BufferedReader out = process.inputReader()) {
                int admin = port(out);
                await().atMost(PATIENCE).until(() -> get(admin, "/readyz").equals("ready\n"));
                await().atMost(PATIENCE).until(() -> canaries(get(admin, "/metrics")) == 2);
                assertThat(get(admin, "/metrics"))
                        .contains("inferwatch_gpu_devices{state=\"ok\"} 2.0")
                        .contains("inferwatch_gpu_devices{state=\"lost\"} 0.0")
                        .contains("inferwatch_gpu_rejected_values_total{field=\"power\"}")
                        .contains("inferwatch_gpu_rejected_values_total{field=\"utilization\"} 0.0")
                        .contains("inferwatch_gpu_nvml_openings_total 1.0")
                        .contains("inferwatch_probe_events_published_total");
                driver.set("status", 999);
                await().atMost(PATIENCE).until(() -> get(admin, "/readyz").contains("NVML does not answer"));
                process.destroy();
                assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .isTrue();
            } finally {
                process.destroyForcibly();
            }
            List<GpuSample> samples = read(broker);
            assertThat(samples)
                    .filteredOn(sample -> sample.getState() == GpuState.OK)
                    .hasSizeGreaterThan(2)
                    .allSatisfy(sample -> {
                        assertThat(sample.getMarks()).contains("rejected-power");
                        assertThat(sample.getIntervalMicros()).isEqualTo(100_000);
                    });
            assertThat(samples)
                    .filteredOn(sample -> sample.getState() == GpuState.UNREADABLE)
                    .extracting(GpuSample::getGpu)
                    .containsExactly(SimulatedHost.uuid(0), SimulatedHost.uuid(1));
            assertThat(samples)
                    .filteredOn(sample -> sample.getOrigin().equals("nvml+canary"))
                    .extracting(GpuSample::getGpu)
                    .containsExactlyInAnyOrder(SimulatedHost.uuid(0), SimulatedHost.uuid(1));
        }
    }

    @Test
    void withoutADriverItIsOneLineAndStatusTwo() throws Exception {
        for (String[] command :
                new String[][] {{"--bootstrap-servers", "localhost:1", "--admin-listen", "0"}, {"check"}, {"topology"}
                }) {
            Ended ended = run(command);
            assertThat(ended.status()).isEqualTo(2);
            assertThat(ended.err())
                    .startsWith("inferwatch probe gpu: NVML not found: libnvidia-ml.so.1")
                    .endsWith("; GPU fields will be empty\n")
                    .hasLineCount(1);
        }
    }

    @Test
    void aLibraryInTheWorkingDirectoryIsNotTakenForTheDriver() throws Exception {
        SimulatedDriver driver = driver();
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Files.copy(driver.nvml(), elsewhere.resolve("libnvidia-ml.so.1"));
        ProcessBuilder process = process("check").directory(elsewhere.toFile());
        process.environment().remove("LD_LIBRARY_PATH");
        process.command().set(2, "." + File.pathSeparator + process.command().get(2));
        assertThat(run(process).status()).isEqualTo(2);
    }

    @Test
    void aCanaryWithoutCudaIsOneLineAndStatusTwo() throws Exception {
        Files.delete(driver().cuda());
        Ended ended = run("--canary", "--bootstrap-servers", "localhost:1", "--admin-listen", "0");
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.err())
                .contains("inferwatch probe gpu: CUDA not found: libcuda.so.1")
                .doesNotContain("\tat ");
    }

    @Test
    void checkPrintsEachFieldOrWhyThereIsNone() throws Exception {
        driver().set("nvmlDeviceGetTotalEccErrors", 3).set("gpm.10", "87.5").set("gpm.5", "10");
        Ended ended = run("check", "--canary");
        assertThat(ended.status()).isZero();
        assertThat(ended.out().lines().map(line -> line.strip().replaceAll(" +", " ")))
                .contains(
                        "GPU 0 " + SimulatedHost.uuid(0) + ", Simulated H100, driver 550.54.15, OK",
                        "powerMilliwatts 161300",
                        "dramActivePpm 875000",
                        "readingsApartMicros 0",
                        "eccCorrectedTotal unsupported: not supported (3)",
                        "numaNode -");
        assertThat(ended.out()).containsPattern("canary +(WHOLE|CUT_SHORT)\\R").containsPattern("launchNanos +\\d+\\R");
    }

    @Test
    void checkSaysWhenADeviceIsLost() throws Exception {
        driver().set("count", 2).set("gpu1.nvmlDeviceGetPowerUsage", 15);
        Ended ended = run("check");
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.out())
                .contains("1 of 2 GPUs answer\n")
                .contains("GPU 0 " + SimulatedHost.uuid(0) + ", Simulated H100, driver 550.54.15, OK\n")
                .contains("GPU 1 " + SimulatedHost.uuid(1) + ", Simulated H100, driver 550.54.15, LOST\n");
    }

    @Test
    void topologyFlagsWhatIsBoundElsewhere() throws Exception {
        driver().set("mig", 2).set("gpu0.mig0.processes", "21:1").set("gpu0.mig1.processes", "22:1,23:1");
        for (int pid = 21; pid <= 23; pid++) {
            file("proc/" + pid + "/comm", "server-" + pid);
        }
        file("proc/21/status", "Cpus_allowed_list:\t0-31\n");
        file("proc/22/status", "Cpus_allowed_list:\t32-63\n");
        file("proc/23/status", "Cpus_allowed_list:\t0-63\n");
        file("sys/bus/pci/devices/0000:3b:00.0/numa_node", "1");
        file("sys/bus/pci/devices/0000:3b:00.0/local_cpulist", "32-63");
        Path config = Files.writeString(
                directory.resolve("gpu.yaml"),
                "host: {proc: %1$s/proc, sys: %1$s/sys, cgroup: %1$s/cgroup}".formatted(directory));

        Ended ended = run("topology", "--config", config.toString());
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.out().lines().map(line -> line.strip().replaceAll(" +", " ")))
                .containsExactly(
                        "GPU MIG UUID NUMA processors processes",
                        "0 - " + SimulatedHost.uuid(0) + " 1 32-63 -",
                        "0 1 " + SimulatedHost.migUuid(0, 0) + " 1 32-63 21 server-21 on 0-31 BOUND ELSEWHERE",
                        "0 2 " + SimulatedHost.migUuid(0, 1) + " 1 32-63 22 server-22 on 32-63",
                        "23 server-23 on 0-63",
                        "taskset -acp 32-63 21 # leaves its memory where it is; started by"
                                + " 'numactl --cpunodebind=1 --membind=1 COMMAND' it has that near too");
    }

    private SimulatedDriver driver() throws IOException {
        return SimulatedDriver.compile(SimulatedHost.compiler(), Files.createDirectories(directory.resolve("driver")));
    }

    private void file(String path, String text) throws IOException {
        Path file = directory.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private ProcessBuilder process(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                GpuMain.class.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("LD_LIBRARY_PATH", directory.resolve("driver").toString());
        return builder;
    }

    private Ended run(String... arguments) throws IOException, InterruptedException {
        return run(process(arguments));
    }

    private Ended run(ProcessBuilder builder) throws IOException, InterruptedException {
        Path out = directory.resolve("out.txt");
        Path err = directory.resolve("err.txt");
        Process process =
                builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        try {
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return new Ended(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    private String get(int port, String path) throws IOException, InterruptedException {
        return client.send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                .build(),
                        BodyHandlers.ofString())
                .body();
    }

    /** Those that ran; on a busy machine one may be cut short. */
    private static int canaries(String page) {
        int count = 0;
        for (Matcher ran = CANARIES.matcher(page); ran.find(); ) {
            count += Integer.parseInt(ran.group(1));
        }
        return count;
    }

    private static int port(BufferedReader out) throws IOException {
        StringBuilder seen = new StringBuilder();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            Matcher port = PORT.matcher(line);
            if (port.matches()) {
                return Integer.parseInt(port.group(1));
            }
            seen.append(line).append('\n');
        }
        throw new AssertionError("the process said nothing of its port:\n" + seen);
    }

    private static List<GpuSample> read(KafkaBroker broker) throws UndecodableEventException {
        List<GpuSample> samples = new ArrayList<>();
        EventCodec codec = new EventCodec();
        try (KafkaConsumer<String, byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", broker.bootstrapServers()),
                new StringDeserializer(),
                new ByteArrayDeserializer())) {
            TopicPartition all = new TopicPartition(Topic.GPU.topicName(), 0);
            consumer.assign(List.of(all));
            consumer.seekToBeginning(List.of(all));
            long end = consumer.endOffsets(List.of(all)).get(all);
            while (consumer.position(all) < end) {
                for (ConsumerRecord<String, byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
                    GpuSample sample = (GpuSample) codec.decode(record.value());
                    assertThat(record.key()).isEqualTo(sample.getGpu());
                    samples.add(sample);
                }
            }
        }
        return samples;
    }
}
