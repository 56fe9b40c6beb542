package io.inferwatch.probes.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.probes.engine.exposition.Rejection;
import io.inferwatch.schemas.EngineHistogram;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.GpuSample;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What engines and exporters have shown, and what must become of it, each under the id of its case. */
class EngineEdgeCasesTest {
    private final ScrapedTarget target = new ScrapedTarget();

    @Test
    void reasonsForLoweredClocksAreTheDriversUnderBothNames() {
        String old = "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS{gpu=\"0\",UUID=\"GPU-1\"} ";
        String present = "DCGM_FI_DEV_CLOCKS_EVENT_REASONS{gpu=\"0\",UUID=\"GPU-1\"} ";
        // Bits of nvml.h: idle 1, software power cap 4, thermal slowdown by hardware 64.
        GpuSample slowed = target.board(old + "1", present + "68");
        assertThat(slowed.getThrottleReasons()).containsExactly("sw-power-cap", "hw-thermal-slowdown");
        assertThat(slowed.getThrottled()).isTrue();
        GpuSample idle = target.board(old + "1");
        assertThat(idle.getThrottleReasons()).containsExactly("gpu-idle");
        assertThat(idle.getThrottled()).isFalse();
        GpuSample free = target.board(present + "0");
        assertThat(free.getThrottleReasons()).isEmpty();
        assertThat(free.getThrottled()).isFalse();
        GpuSample silent = target.board("DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"GPU-1\"} 41");
        assertThat(silent.getThrottleReasons()).isEmpty();
        assertThat(silent.getThrottled()).isNull();
    }

    @Test
    void prm01OldAndNewNameAreOneValueAndTheNewOneWins() {
        String old = "vllm:gpu_cache_usage_perc{engine=\"0\",model_name=\"m\"} 0.25";
        String renamed = "vllm:kv_cache_usage_perc{engine=\"0\",model_name=\"m\"} 0.5";
        assertThat(target.engine(old, renamed).getKvUsagePpm()).isEqualTo(500_000);
        assertThat(target.engine(renamed, old).getKvUsagePpm()).isEqualTo(500_000);
        assertThat(target.engine(old).getKvUsagePpm()).isEqualTo(250_000);
        assertThat(target.engine(renamed).getKvUsagePpm()).isEqualTo(500_000);
    }

    @Test
    void prm01ACounterUnderBothNamesIsNotCountedTwice() {
        target.engine("vllm:gpu_prefix_cache_hits_total 100", "vllm:prefix_cache_hits_total 100");
        EngineSample both = target.engine("vllm:gpu_prefix_cache_hits_total 107", "vllm:prefix_cache_hits_total 107");
        assertThat(both.getPrefixHitTotal()).isEqualTo(7);
        assertThat(target.engine("vllm:prefix_cache_hits_total 110").getPrefixHitTotal())
                .isEqualTo(10);
    }

    @Test
    void prm03TheLatestRowOfTheLoraGaugeIsThePresent() {
        EngineSample sample = target.engine(
                "vllm:lora_requests_info{max_lora=\"2\",running_lora_adapters=\"\",waiting_lora_adapters=\"\"} 1.7395575657589855e+09",
                "vllm:lora_requests_info{max_lora=\"2\",running_lora_adapters=\"a,b\",waiting_lora_adapters=\"\"} 1.7395575723949368e+09",
                "vllm:lora_requests_info{max_lora=\"2\",running_lora_adapters=\"a\",waiting_lora_adapters=\"b\"} 1.7395575717647147e+09");
        assertThat(sample.getRunningAdapters()).containsExactly("a", "b");
        assertThat(sample.getWaitingAdapters()).isEmpty();
        assertThat(sample.getMaxAdapters()).isEqualTo(2);
    }

    @Test
    void prm05AMeanTypedCounterIsNoCounterAndItsNanCostsNothing() {
        String[] lines = {"# TYPE llamacpp:n_busy_slots_per_decode counter", "llamacpp:n_busy_slots_per_decode -nan"};
        target.engine(lines[0], lines[1], "llamacpp:prompt_tokens_total 5");
        target.engine(lines[0], "llamacpp:n_busy_slots_per_decode 3.5", "llamacpp:prompt_tokens_total 5");
        EngineSample fallen =
                target.engine(lines[0], "llamacpp:n_busy_slots_per_decode 1.5", "llamacpp:prompt_tokens_total 6");
        assertThat(fallen.getMarks()).isEmpty();
        assertThat(fallen.getPromptTokensTotal()).isEqualTo(1);
        assertThat(fallen.getRequestsPerStepPpm()).isEqualTo(1_500_000);
    }

    @Test
    void prm05NanIsNoValueOfAGaugeEither() {
        EngineSample sample = target.engine("vllm:num_requests_running NaN", "vllm:num_requests_waiting 0");
        assertThat(sample.getRunningRequests()).isNull();
        assertThat(sample.getWaitingRequests()).isZero();
        assertThat(target.rejections()).containsEntry(Rejection.NAN, 1L);
    }

    @Test
    void prm07AWithdrawnGaugeIsUnknownAndNotZero() {
        assertThat(target.engine("llamacpp:requests_processing 1", "llamacpp:kv_cache_usage_ratio 0.5")
                        .getKvUsagePpm())
                .isEqualTo(500_000);
        EngineSample without = target.engine("llamacpp:requests_processing 1", "llamacpp:requests_deferred 0");
        assertThat(without.getKvUsagePpm()).isNull();
        assertThat(without.getWaitingRequests()).isZero();
    }

    @Test
    void prm09WorkersThatAnswerInTurnAreToldApartByTheirStart() {
        target.engine("vllm:generation_tokens_total 1000", "process_start_time_seconds 100");
        target.engine("vllm:generation_tokens_total 40", "process_start_time_seconds 105");
        target.engine("vllm:generation_tokens_total 1003", "process_start_time_seconds 100");
        EngineSample last = target.engine("vllm:generation_tokens_total 41", "process_start_time_seconds 105");
        assertThat(last.getGeneratedTokensTotal()).isEqualTo(3 + 1);
        assertThat(last.getMarks()).containsExactly("several-workers");
    }

    @Test
    void prm09WorkersThatCannotBeToldApartAreUnstableAndHaveNoTotals() {
        target.engine("vllm:generation_tokens_total 1000");
        assertThat(target.engine("vllm:generation_tokens_total 1001").getGeneratedTokensTotal())
                .isEqualTo(1);
        EngineSample fallen = target.engine("vllm:generation_tokens_total 40");
        assertThat(fallen.getGeneratedTokensTotal()).as("held back").isEqualTo(1);
        EngineSample back = target.engine("vllm:generation_tokens_total 1003", "vllm:num_requests_running 2");
        assertThat(back.getMarks()).containsExactly("unstable-source");
        assertThat(back.getGeneratedTokensTotal()).isNull();
        assertThat(back.getRunningRequests()).isEqualTo(2);
        for (int i = 0; i < ProcessHistory.QUIET_PAGES; i++) {
            assertThat(target.engine("vllm:generation_tokens_total " + (2_000 + i))
                            .getMarks())
                    .containsExactly("unstable-source");
        }
        EngineSample quiet = target.engine("vllm:generation_tokens_total 2014");
        assertThat(quiet.getMarks()).isEmpty();
        assertThat(quiet.getGeneratedTokensTotal())
                .as("what was counted meanwhile is lost, never doubled")
                .isEqualTo(1 + 5);
    }

    @Test
    void aRestartGoesOnCountingWhetherThePageSaysItsStartOrNot() {
        target.engine("vllm:generation_tokens_total 1000", "process_start_time_seconds 900");
        EngineSample restarted = target.engine("vllm:generation_tokens_total 1500", "process_start_time_seconds 1005");
        assertThat(restarted.getGeneratedTokensTotal()).as("all of it is new").isEqualTo(1500);
        assertThat(restarted.getMarks()).containsExactly("counter-reset");

        ScrapedTarget silent = new ScrapedTarget();
        silent.engine("vllm:generation_tokens_total 1000");
        silent.engine("vllm:generation_tokens_total 30");
        EngineSample after = silent.engine("vllm:generation_tokens_total 50");
        assertThat(after.getGeneratedTokensTotal()).isEqualTo(50);
        assertThat(after.getMarks()).containsExactly("counter-reset");
    }

    @Test
    void prm11RanksAreOneValueAndModelAndValueBelongTogether() {
        String[] before = {ranks(0, 10), ranks(1, 11), ranks(2, 12), ranks(3, 13)};
        EngineSample first = target.engine(before);
        assertThat(first.getGeneratedTokensTotal()).isZero();
        assertThat(first.getModel()).isEqualTo("m");
        EngineSample next = target.engine(ranks(0, 20), ranks(1, 19), ranks(2, 20), ranks(3, 18));
        assertThat(next.getGeneratedTokensTotal()).isEqualTo(20 - 13);
        EngineSample twoShards = target.engine(
                ranks(0, 20), "sglang:generation_tokens_total{model_name=\"m\",dp_rank=\"1\",tp_rank=\"0\"} 5");
        assertThat(twoShards.getGeneratedTokensTotal())
                .as("shards of data add up")
                .isEqualTo(7 + 5);
    }

    private static String ranks(int rank, int value) {
        return "sglang:generation_tokens_total{model_name=\"m\",tp_rank=\"" + rank + "\",pp_rank=\"0\"} " + value;
    }

    @Test
    void prm12SentinelsOf64BitsAreNoValues() {
        GpuSample gpu = target.board(
                "DCGM_FI_DEV_MEMORY_TEMP{gpu=\"0\", UUID=\"GPU-1\"} 9223372036854775794",
                "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu=\"0\", UUID=\"GPU-1\"} 9.223372036854776e+18",
                "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\", UUID=\"GPU-1\"} 41");
        assertThat(gpu.getMemoryTemperatureCelsius()).isNull();
        assertThat(gpu.getEnergyMillijoulesTotal()).isNull();
        assertThat(gpu.getTemperatureCelsius()).isEqualTo(41);
        assertThat(target.rejections()).containsEntry(Rejection.SENTINEL, 2L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2147483632", "2147483634", "4294967295", "187000", "-1", "100.5"})
    void prm14AWildUtilisationIsRejected(String value) {
        GpuSample gpu = target.board(
                "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"GPU-1\"} " + value,
                "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"GPU-1\"} 41");
        assertThat(gpu.getBusyPpm()).isNull();
        assertThat(target.rejections().values()).containsExactly(1L);
    }

    @Test
    void prm16AGpuWithoutAnIdHasItsNumber() {
        GpuSample gpu = target.board(
                "DCGM_FI_DEV_VGPU_INSTANCE_IDS{gpu=\"0\"} ERROR - FAILED TO CONVERT TO STRING",
                "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\"} 41");
        assertThat(gpu.getGpu()).isEqualTo("gpu-0");
        assertThat(gpu.getTemperatureCelsius()).isEqualTo(41);
        assertThat(target.rejections()).containsEntry(Rejection.NOT_A_NUMBER, 1L);
    }

    @Test
    void prm17InstancesAreToldApartAndTheBoardsPowerCountsOnce() {
        List<GpuSample> gpus = target.gpus(
                "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",UUID=\"GPU-1\",GPU_I_PROFILE=\"1g.6gb\",GPU_I_ID=\"3\"} 52.636",
                "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",UUID=\"GPU-1\",GPU_I_PROFILE=\"1g.6gb\",GPU_I_ID=\"4\"} 52.636",
                "DCGM_FI_DEV_FB_USED{gpu=\"0\",UUID=\"GPU-1\",GPU_I_PROFILE=\"1g.6gb\",GPU_I_ID=\"3\"} 12",
                "DCGM_FI_DEV_FB_USED{gpu=\"0\",UUID=\"GPU-1\",GPU_I_PROFILE=\"1g.12gb\",GPU_I_ID=\"4\"} 900",
                "DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu=\"0\",UUID=\"GPU-1\",GPU_I_ID=\"4\"} 0.5");
        assertThat(gpus).extracting(GpuSample::getMigId).containsExactly(null, "MIG-GPU-1/3", "MIG-GPU-1/4");
        assertThat(gpus).extracting(GpuSample::getPowerMilliwatts).containsExactly(52_636L, null, null);
        assertThat(gpus).extracting(GpuSample::getUsedBytes).containsExactly(912L << 20, 12L << 20, 900L << 20);
        assertThat(gpus).extracting(GpuSample::getEngineActivePpm).containsExactly(null, null, 500_000L);
    }

    @Test
    void prm25BothFormsOfANameAreOneSeries() {
        String dots = "{\"gen_ai.server.request.duration_%s\"%s} %d";
        String underscores = "gen_ai_server_request_duration_seconds_%s%s %d";
        for (String form : List.of(dots.replace("duration_%s", "duration_%s"), underscores)) {
            ScrapedTarget of = new ScrapedTarget();
            boolean quoted = form.equals(dots);
            for (int n = 0; n <= 4; n += 4) {
                EngineSample sample = of.engine(
                        form.formatted("bucket", quoted ? ",le=\"0.5\"" : "{le=\"0.5\"}", n),
                        form.formatted("bucket", quoted ? ",le=\"+Inf\"" : "{le=\"+Inf\"}", n + n / 4),
                        form.formatted("sum", "", n));
                EngineHistogram histogram = sample.getHistograms().get(0);
                assertThat(histogram.getSignal()).isEqualTo("e2e");
                assertThat(histogram.getTotals()).containsExactly((long) n, (long) n / 4);
            }
        }
    }

    @Test
    void prm29CreatedIsNoSeriesButTellsARestart() {
        target.engine("vllm:generation_tokens_total 201", "vllm:generation_tokens_created 900");
        EngineSample restarted =
                target.engine("vllm:generation_tokens_total 300", "vllm:generation_tokens_created 1.005e+03");
        assertThat(restarted.getGeneratedTokensTotal()).isEqualTo(300);
        TargetReadings.Page page = target.page(
                "http_requests_total{handler=\"/v1/completions\"} 201.0",
                "http_requests_created{handler=\"/v1/completions\"} 1.7435e+09");
        assertThat(page.unknown()).isZero();
        assertThat(page.engine()).isNull();
    }

    @Test
    void prm30TritonCountsMicrosecondsAndSplitsFailuresByReason() {
        String[] zero = {
            "nv_inference_request_success{model=\"m\",version=\"1\"} 0",
            "nv_inference_request_failure{model=\"m\",reason=\"OTHER\",version=\"1\"} 0",
            "nv_inference_request_failure{model=\"m\",reason=\"REJECTED\",version=\"1\"} 0",
            "nv_inference_request_duration_us{model=\"m\",version=\"1\"} 0"
        };
        target.engine(zero);
        TargetReadings.Page page = target.page(
                "# TYPE nv_inference_load_ratio histogram",
                "nv_inference_request_success{model=\"m\",version=\"1\"} 2",
                "nv_inference_request_failure{model=\"m\",reason=\"OTHER\",version=\"1\"} 1",
                "nv_inference_request_failure{model=\"m\",reason=\"REJECTED\",version=\"1\"} 3",
                "nv_inference_request_duration_us{model=\"m\",version=\"1\"} 4000000",
                "nv_gpu_utilization{gpu_uuid=\"GPU-1\"} 0.120000");
        EngineSample sample = Objects.requireNonNull(page.engine());
        assertThat(sample.getEngine()).isEqualTo("triton");
        assertThat(sample.getSucceededTotal()).isEqualTo(2);
        assertThat(sample.getFailedTotal()).isEqualTo(4);
        assertThat(sample.getRequestTotalMicros()).isEqualTo(4_000_000);
        assertThat(page.gpus()).hasSize(1);
        assertThat(page.gpus().get(0).getBusyPpm()).isEqualTo(120_000);
    }

    @Test
    void gpu12AnXidIsAnEventWhenItChangesAndNotForEver() {
        String gauge = "DCGM_FI_DEV_XID_ERRORS{gpu=\"0\",UUID=\"GPU-1\"} ";
        Long[] xids = {null, null, 31L, null, null, 48L, null};
        int[] codes = {0, 0, 31, 31, 31, 48, 48};
        GpuSample last = null;
        for (int i = 0; i < codes.length; i++) {
            last = target.board(gauge + codes[i]);
            assertThat(last.getXid()).as("page %d", i).isEqualTo(xids[i]);
        }
        assertThat(Objects.requireNonNull(last).getXidEventsTotal()).isEqualTo(2);
        assertThat(new ScrapedTarget().board(gauge + 31).getXid())
                .as("known when, if ever")
                .isNull();
    }

    @Test
    void gpu12TheCountOverAWindowShowsRepeats() {
        String gauge = "DCGM_FI_DEV_XID_ERRORS{gpu=\"0\",UUID=\"GPU-1\"} 31";
        String count = "DCGM_EXP_XID_ERRORS_COUNT{gpu=\"0\",UUID=\"GPU-1\",xid=\"31\",window_size_in_ms=\"300000\"} ";
        assertThat(target.board("DCGM_FI_DEV_XID_ERRORS{gpu=\"0\",UUID=\"GPU-1\"} 0")
                        .getXidEventsTotal())
                .isZero();
        assertThat(target.board(gauge, count + 1).getXidEventsTotal()).isEqualTo(1);
        GpuSample repeated = target.board(gauge, count + 2);
        assertThat(repeated.getXid()).isEqualTo(31);
        assertThat(repeated.getXidEventsTotal()).isEqualTo(2);
        GpuSample fallen = target.board(gauge, count + 1);
        assertThat(fallen.getXid()).isNull();
        assertThat(fallen.getXidEventsTotal()).isEqualTo(2);
    }

    @Test
    void gpu14ProfilingThatGoesBlankIsUnknownSinceThen() {
        String temperature = "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"GPU-1\"} 41";
        String tensor = "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{gpu=\"0\",UUID=\"GPU-1\"} ";
        assertThat(target.board(temperature, tensor + 0.25).getMarks()).isEmpty();
        target.board(temperature, tensor + "140737488355328.000000");
        GpuSample blank = target.board(temperature);
        assertThat(blank.getTensorActivePpm()).isNull();
        assertThat(blank.getMarks()).containsExactly("profiling-blank");
        assertThat(blank.getAgesMicros()).containsExactly(Map.entry("tensorActivePpm", 20_000_000L));
        assertThat(target.board(temperature, tensor + 0.5).getMarks()).isEmpty();
    }

    @Test
    void gpu17MemoryTrafficIsNotMemoryUse() {
        GpuSample gpu = target.board(
                "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"GPU-1\"} 97",
                "DCGM_FI_DEV_MEM_COPY_UTIL{gpu=\"0\",UUID=\"GPU-1\"} 3",
                "DCGM_FI_DEV_FB_USED{gpu=\"0\",UUID=\"GPU-1\"} 79872",
                "DCGM_FI_DEV_FB_FREE{gpu=\"0\",UUID=\"GPU-1\"} 2048");
        assertThat(gpu.getBusyPpm()).isEqualTo(970_000);
        assertThat(gpu.getMemoryTrafficPpm()).isEqualTo(30_000);
        assertThat(gpu.getUsedBytes()).isEqualTo(78L << 30);
        assertThat(gpu.getFreeBytes()).isEqualTo(2L << 30);
    }
}
