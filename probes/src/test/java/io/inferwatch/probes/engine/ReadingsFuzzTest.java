package io.inferwatch.probes.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.schemas.EngineHistogram;
import io.inferwatch.schemas.EngineSample;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;

/** Whatever stands on a page: nothing is thrown, and totals only grow. */
class ReadingsFuzzTest {
    private static final String[] LINES = {
        "vllm:generation_tokens_total{engine=\"0\"} 17",
        "vllm:request_success_total{finished_reason=\"stop\"} 5",
        "vllm:num_requests_running{model_name=\"m\"} 3",
        "vllm:request_queue_time_seconds_bucket{le=\"0.3\"} 3",
        "vllm:request_queue_time_seconds_bucket{le=\"+Inf\"} 5",
        "vllm:request_queue_time_seconds_sum 1.5",
        "vllm:cache_config_info{block_size=\"16\",num_gpu_blocks=\"100\"} 1",
        "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{UUID=\"GPU-1\"} 1000",
        "process_start_time_seconds 900"
    };

    @Test
    void noPageMakesATotalFallOrThrowsSeed19() {
        Random random = new Random(19);
        byte[] alphabet = "0123456789.eE+-{}=\",\nNaInf ".getBytes(StandardCharsets.UTF_8);
        int compared = 0;
        for (int target = 0; target < 100; target++) {
            ScrapedTarget scraped = new ScrapedTarget();
            Map<String, Long> before = new HashMap<>();
            for (int page = 0; page < 40; page++) {
                List<String> lines = new ArrayList<>();
                for (String line : LINES) {
                    if (random.nextInt(5) > 0) {
                        lines.add(mutated(random, alphabet, line));
                    }
                }
                EngineSample sample =
                        scraped.noEngine(lines.toArray(String[]::new)).orElse(null);
                compared += sample == null ? 0 : check(sample, before);
            }
        }
        assertThat(compared).isGreaterThan(1_000);
    }

    private static String mutated(Random random, byte[] alphabet, String line) {
        byte[] bytes = line.replaceAll(" [^ ]*$", " " + random.nextInt(1_000)).getBytes(StandardCharsets.UTF_8);
        if (random.nextInt(4) == 0) {
            bytes[random.nextInt(bytes.length)] = alphabet[random.nextInt(alphabet.length)];
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static int check(EngineSample sample, Map<String, Long> before) {
        int compared = 0;
        for (Schema.Field field : sample.getSchema().getFields()) {
            if (field.name().endsWith("Total") && sample.get(field.pos()) instanceof Long total) {
                Long last = before.put(field.name(), total);
                assertThat(total).as(field.name()).isGreaterThanOrEqualTo(last == null ? 0 : last);
                compared++;
            }
        }
        for (EngineHistogram histogram : sample.getHistograms()) {
            assertThat(histogram.getTotals())
                    .hasSize(histogram.getBoundsMicros().size() + 1);
            assertThat(histogram.getTotals()).allMatch(total -> total >= 0);
        }
        return compared;
    }
}
