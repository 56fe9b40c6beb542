package io.inferwatch.analytics.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CacheUseTest {
    private record Kernel(String precision, CacheUse use) {}

    /** Two mixes of precisions whose totals are the published ones, over kernels that differ: a mean of rates would say otherwise. */
    @Test
    void twoMixesOfPrecisionsHaveTheirPublishedRates() {
        Map<String, CacheUse> byPrecision = Stream.of(
                        // 1,000,000 requests, 113,000 misses, 32,100,000 bytes in all; rates by kernel 0.1 and 0.9.
                        new Kernel("fp16+bf16", CacheUse.of(983_750L, 885_375L, 31_480_000L)),
                        new Kernel("fp16+bf16", CacheUse.of(16_250L, 1_625L, 620_000L)),
                        // 1,000,000 requests, 347,000 misses, 18,900,000 bytes; rates 0.34 and 0.69.
                        new Kernel("fp16+int4", CacheUse.of(980_000L, 646_800L, 17_900_000L)),
                        new Kernel("fp16+int4", CacheUse.of(20_000L, 6_200L, 1_000_000L)))
                .collect(Collectors.toMap(Kernel::precision, Kernel::use, CacheUse::plus));
        CacheUse bf16 = byPrecision.getOrDefault("fp16+bf16", CacheUse.NONE);
        CacheUse int4 = byPrecision.getOrDefault("fp16+int4", CacheUse.NONE);
        assertThat(bf16.missRate().orElseThrow()).isCloseTo(0.113, within(1e-12));
        assertThat(bf16.bytesPerRequest().orElseThrow()).isCloseTo(32.1, within(1e-12));
        assertThat(int4.missRate().orElseThrow()).isCloseTo(0.347, within(1e-12));
        assertThat(int4.bytesPerRequest().orElseThrow()).isCloseTo(18.9, within(1e-12));
    }

    @Test
    void whatIsNotToldIsInNoDenominator() {
        CacheUse use = CacheUse.of(100L, 80L, null)
                .plus(CacheUse.of(300L, null, 9_600L))
                .plus(CacheUse.of(null, 5L, 5L))
                .plus(CacheUse.of(7L, null, null));
        assertThat(use.missRate()).hasValue(0.2);
        assertThat(use.bytesPerRequest()).hasValue(32);
        assertThat(use.leftOut()).isEqualTo(2);
        assertThat(CacheUse.NONE.missRate()).isEmpty();
        assertThat(CacheUse.NONE.bytesPerRequest()).isEmpty();
    }

    @Test
    void moreHitsThanRequestsAreRefused() {
        assertThatThrownBy(() -> CacheUse.of(10L, 11L, null))
                .hasMessage("hits: must be from 0 to the 10 requests, found 11");
        assertThatThrownBy(() -> CacheUse.of(10L, 1L, -1L))
                .hasMessage("measuredRequests, bytes, leftOut: must be at least 0, found 10, -1 and 0");
    }

    @Test
    void ratesWithoutCountsAreWeightedByTime() {
        MeanOverTime instructions = MeanOverTime.of(3_000L, 2_000_000L)
                .plus(MeanOverTime.of(1_000L, 400_000L))
                .plus(MeanOverTime.of(null, 9_000_000L))
                .plus(MeanOverTime.of(5_000L, null));
        assertThat(instructions.rate().orElseThrow()).isCloseTo(1.6, within(1e-12));
        assertThat(instructions.leftOut()).isEqualTo(2);
        assertThat(MeanOverTime.NONE.rate()).isEmpty();
    }
}
