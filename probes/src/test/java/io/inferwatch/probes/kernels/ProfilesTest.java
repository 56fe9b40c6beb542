package io.inferwatch.probes.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.schemas.KernelProfile;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The files are written after the formats' documentation; expected values are worked out by hand from them. */
class ProfilesTest {
    @TempDir
    private Path folder;

    @Test
    void nsightDetailsGiveALaunchForEachId() {
        List<KernelProfile> records = records(ProfileFormat.NCU, resource("details.csv"));
        assertThat(records).hasSize(2);
        KernelProfile flash = records.get(0);
        assertThat(flash.getKernel()).isEqualTo("flash_fwd_kernel");
        assertThat(flash.getStage()).isEqualTo("attention");
        assertThat(flash.getCalls()).isEqualTo(1);
        assertThat(flash.getDurationTotalNanos()).isEqualTo(812_500);
        assertThat(flash.getInstructionsPerCyclePpm()).isEqualTo(1_850_000);
        assertThat(flash.getL2HitPpm()).isEqualTo(887_000);
        assertThat(flash.getSmActivePpm()).isEqualTo(714_000);
        assertThat(flash.getL1HitPpm()).as("n/a is no value").isNull();
        KernelProfile gemm = records.get(1);
        assertThat(gemm.getKernel()).isEqualTo("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn");
        assertThat(gemm.getStage()).isNull();
        assertThat(gemm.getDurationTotalNanos()).isEqualTo(1_002_250_000);
        assertThat(gemm.getInstructionsPerCyclePpm()).isNull();
    }

    @Test
    void nsightRawAddsUpAndWeighsHitsByRequests() {
        KernelProfile gemm = records(ProfileFormat.NCU, resource("raw.csv")).get(0);
        assertThat(gemm.getCalls()).isEqualTo(2);
        assertThat(gemm.getDurationTotalNanos()).isEqualTo(4_000);
        assertThat(gemm.getMinNanos()).isEqualTo(1_000);
        assertThat(gemm.getMaxNanos()).isEqualTo(3_000);
        assertThat(gemm.getL2Requests()).isEqualTo(400);
        // 90 of 100 and 210 of 300.
        assertThat(gemm.getL2Hits()).isEqualTo(300);
        assertThat(gemm.getL2HitPpm()).isEqualTo(750_000);
        assertThat(gemm.getL2Bytes()).isEqualTo(12_800);
        assertThat(gemm.getDramReadBytes()).isEqualTo(6_000_000);
        // (2 x 1,000 ns + 1 x 3,000 ns) / 4,000 ns.
        assertThat(gemm.getInstructionsPerCyclePpm()).isEqualTo(1_250_000);
        // A fused multiply-add is two operations.
        assertThat(gemm.getFlops()).isEqualTo(2 * 3_000_000 + 10);
    }

    @Test
    void aKinetoKernelHasTheStageOfTheAnnotationsAroundItOnItsDevice() throws Exception {
        Path zipped = folder.resolve("trace.json.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(zipped))) {
            Files.copy(resource("trace.json"), out);
        }
        List<KernelProfile> records = records(ProfileFormat.KINETO, zipped);
        assertThat(records)
                .extracting(
                        KernelProfile::getKernel,
                        KernelProfile::getStage,
                        KernelProfile::getLayer,
                        KernelProfile::getHead,
                        KernelProfile::getDurationTotalNanos,
                        KernelProfile::getOccupancyPpm)
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple("gemm", "decode", null, null, 12_345L, 400_000L),
                        org.assertj.core.groups.Tuple.tuple("gemm", "attention", "12", "3", 20_000L, 800_000L),
                        org.assertj.core.groups.Tuple.tuple("gemm", null, null, null, 30_000L, null),
                        org.assertj.core.groups.Tuple.tuple(
                                "pytorch_flash::flash_fwd_splitkv_kernel", "attention", null, null, 8_000L, null));
    }

    @Test
    void timersKeepTheirDistribution() throws IOException {
        Path file = Files.writeString(folder.resolve("timers.jsonl"), """
                {"kernel": "attention", "stage": "attention", "duration_us": 812.5, "layer": 3, "head": 5, "precision": "fp16+int4", "flops": 1e9}

                {"kernel": "attention", "stage": "attention", "duration_us": 100, "layer": 3, "head": 5, "precision": "fp16+int4", "flops": 2e9}
                """);
        KernelProfile record = records(ProfileFormat.TIMERS, file).get(0);
        assertThat(record.getCalls()).isEqualTo(2);
        assertThat(record.getDurationTotalNanos()).isEqualTo(912_500);
        assertThat(record.getFlops()).isEqualTo(3_000_000_000L);
        assertThat(record.getPrecision()).isEqualTo("fp16+int4");
        assertThat(record.getHead()).isEqualTo("5");
        ByteBuffer sketch = record.getDurationSketch();
        assertThat(SketchEncoding.decode(sketch.array(), sketch.arrayOffset(), sketch.remaining())
                        .max())
                .isEqualTo(812_500);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            NCU | just talk | : must have a header that begins with "ID", as ncu --csv writes it, found none
            NCU | "ID","Name" | : must have a column 'Kernel Name', found [ID, Name]
            NCU | "ID","Kernel Name","Metric Name","Metric Unit","Metric Value"~"0","k","Duration","weeks","1" | : Duration: must be in ns, us, ms or s, found 'weeks'
            NCU | "ID","Kernel Name","Metric Name","Metric Unit","Metric Value"~"0","k","Duration","ns","-1" | : Duration: must be a number from 0 on, found '-1'
            KINETO | {"events": []} | : must be a trace with traceEvents, found none
            KINETO | {"traceEvents": [{"ph" 1}]} | : must be JSON, found Unexpected character ('1' (code 49)): was expecting a colon to separate field name and value
            TIMERS | {"kernel": "k", "duration_ms": 1} | :1: duration_ms: unknown key, did you mean 'duration_us'?
            TIMERS | {"kernel": "k"} | :1: duration_us: must be a number from 0 on, found nothing
            TIMERS | {"duration_us": 1} | :1: kernel: must be set, found nothing
            TIMERS | {"kernel": "k", "duration_us": 1}~[] | :2: must be a JSON object, found ARRAY
            """)
    void whatIsNoProfileIsNamedWithItsPlace(ProfileFormat format, String text, String problem) throws IOException {
        Path file = Files.writeString(folder.resolve("bad"), text.replace('~', '\n'));
        assertThatThrownBy(() -> records(format, file))
                .isInstanceOf(BadProfileException.class)
                .hasMessage(file + problem);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            gemm | gemm
            void cutlass::Kernel<cutlass::gemm::device::Gemm<float, 3> >(cutlass::Params) | cutlass::Kernel
            void at::native::(anonymous namespace)::elementwise<int>(int, float*) | namespace)::elementwise
            Memset (Device) | Memset
            """)
    void aNameIsKeptWithoutTemplateArgumentsAndParameters(String name, String plain) {
        assertThat(KernelNames.plain(name)).isEqualTo(plain);
    }

    private static List<KernelProfile> records(ProfileFormat format, Path file) {
        ProfileSummary summary = new ProfileSummary();
        format.read(file, summary::add);
        return summary.records();
    }

    private static Path resource(String name) {
        try {
            return Path.of(
                    Objects.requireNonNull(ProfilesTest.class.getResource(name)).toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(name, e);
        }
    }
}
