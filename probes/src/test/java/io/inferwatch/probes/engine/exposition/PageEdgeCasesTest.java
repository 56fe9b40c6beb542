package io.inferwatch.probes.engine.exposition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages that real servers have shown, each under the id of its case. */
class PageEdgeCasesTest {
    private final ReadPage page = new ReadPage();

    @Test
    void prm05NanWithASignIsReadAsNan() {
        page.read("""
                # TYPE llamacpp:n_busy_slots_per_decode counter
                llamacpp:n_busy_slots_per_decode -nan
                llamacpp:prompt_tokens_total 0
                """);
        assertThat(page.value("llamacpp:n_busy_slots_per_decode")).isNaN();
        assertThat(page.value("llamacpp:prompt_tokens_total")).isZero();
        assertThat(page.rejections()).isEmpty();
    }

    @Test
    void prm16TextInPlaceOfANumberCostsItsLineOnly() {
        page.read("""
                DCGM_FI_DEV_VGPU_INSTANCE_IDS{gpu="0"} ERROR - FAILED TO CONVERT TO STRING
                DCGM_FI_DEV_GPU_TEMP{gpu="0"} 41
                """);
        assertThat(page.samples()).hasSize(1);
        assertThat(page.value("DCGM_FI_DEV_GPU_TEMP")).isEqualTo(41);
        assertThat(page.rejections()).containsExactly(Rejection.NOT_A_NUMBER);
    }

    @Test
    void prm19AMissingValueIsNotTakenFromTheNextLine() {
        page.read("dcgm_nvlink_replay_error_count_total{gpu=\"0\"} \ndcgm_sm_clock{gpu=\"0\"} 139\n");
        assertThat(page.samples()).hasSize(1);
        assertThat(page.value("dcgm_sm_clock")).isEqualTo(139);
        assertThat(page.rejections()).containsExactly(Rejection.NO_VALUE);
    }

    @Test
    void prm20AMissingCommaIsWrongAndATrailingOneIsNot() {
        page.read("""
                DCGM_FI_DEV_GPU_TEMP{gpu="0"UUID="GPU-1"} 41
                DCGM_FI_DEV_GPU_TEMP{gpu="1",UUID="GPU-2",} 42
                """);
        assertThat(page.samples())
                .containsExactly(new ReadPage.Sample(
                        "DCGM_FI_DEV_GPU_TEMP", Map.of("gpu", "1", "UUID", "GPU-2"), 42, PageReader.NO_TIME));
        assertThat(page.rejections()).containsExactly(Rejection.MALFORMED_LABELS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void prm22AnExemplarIsNeitherValueNorTime(boolean openMetrics) {
        page.read("""
                h_bucket{le="0.01"} 1 # {trace_id="6c1011d34f17c4ca1177b40ddfb5184b"} 0.006
                h_bucket{le="+Inf"} 4
                a_total 1 # {trace_id="x"} 1.0 1668808476.29
                # EOF
                """, openMetrics);
        assertThat(page.samples())
                .containsExactly(
                        new ReadPage.Sample("h_bucket", Map.of("le", "0.01"), 1, PageReader.NO_TIME),
                        new ReadPage.Sample("h_bucket", Map.of("le", "+Inf"), 4, PageReader.NO_TIME),
                        new ReadPage.Sample("a_total", Map.of(), 1, PageReader.NO_TIME));
    }

    @Test
    void prm24AnOpenMetricsPageCutShortCountsForNothing() {
        byte[] cut = "a_total 7\n# TYPE r counter\nr_total{code=\"200\",le=\"0.032\"".getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> page.read(cut, true))
                .isInstanceOf(IncompletePageException.class)
                .hasMessage("an OpenMetrics page must end with '# EOF'");
        assertThat(page.samples()).isEmpty();
        // In the older format nothing marks the end.
        page.read("a_total 7\nr_total{code=\"200\",le=\"0.032\"");
        assertThat(page.value("a_total")).isEqualTo(7);
        assertThat(page.rejections()).containsExactly(Rejection.MALFORMED_LABELS);
    }

    @Test
    void prm25ANameMayStandInQuotesWithinTheBraces() {
        page.read("{\"llm.request.duration\",\"service.name\"=\"größe\"} 1.5\n");
        assertThat(page.samples())
                .containsExactly(new ReadPage.Sample(
                        "llm.request.duration", Map.of("service.name", "größe"), 1.5, PageReader.NO_TIME));
    }

    @Test
    void prm26EscapesAreUndoneAndARawLineFeedIsWrong() {
        page.read("m{path=\"C:\\\\DIR\\\\\",err=\"a\\nb \\\"q\\\" }\"} 1\nm2{x=\"line one\nline two\"} 2\nm3 3\n");
        assertThat(page.samples())
                .containsExactly(
                        new ReadPage.Sample(
                                "m", Map.of("path", "C:\\DIR\\", "err", "a\nb \"q\" }"), 1, PageReader.NO_TIME),
                        new ReadPage.Sample("m3", Map.of(), 3, PageReader.NO_TIME));
        assertThat(page.rejections()).containsExactly(Rejection.MALFORMED_LABELS, Rejection.NOT_A_NUMBER);
    }

    @Test
    void prm30ATypeWithoutSamplesIsNothing() {
        page.read("# TYPE nv_inference_load_ratio histogram\nnv_gpu_utilization{gpu_uuid=\"GPU-1\"} 0.120000\n");
        assertThat(page.samples()).hasSize(1);
        assertThat(page.value("nv_gpu_utilization")).isEqualTo(0.12);
    }

    @Test
    void prm33TheLastLineNeedsNoLineFeed() {
        page.read("# TYPE up_s counter\nup_s 37");
        assertThat(page.value("up_s")).isEqualTo(37);
        assertThat(PageFormat.of("application/json; charset=UTF-8")).isEmpty();
        assertThat(PageFormat.of("text/plain; version=0.0.4")).contains(PageFormat.TEXT);
    }
}
