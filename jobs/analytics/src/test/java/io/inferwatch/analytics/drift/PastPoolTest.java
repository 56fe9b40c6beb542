package io.inferwatch.analytics.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.analytics.Latencies;
import io.inferwatch.analytics.drift.Sample.Counts;
import io.inferwatch.analytics.drift.Sample.Values;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PastPoolTest {
    @Test
    void theYoungerComesAfter() {
        PastPool pool = PastPool.of(new Counts(1, 10), 0.25).plus(PastPool.of(new Counts(4, 20), 0.5, 1.5));
        assertThat(pool.sample()).isEqualTo(new Counts(5, 30));
        assertThat(pool.scores()).containsExactly(0.25, 0.5, 1.5);
        assertThat(pool.windows()).isEqualTo(3);
        assertThat(pool.meanScore()).hasValue(0.75);
        assertThat(pool.plus(PastPool.EMPTY)).isSameAs(pool);
        assertThat(PastPool.EMPTY.plus(pool)).isSameAs(pool);
    }

    @Test
    void nothingIsInTheEmptyOne() {
        assertThat(PastPool.EMPTY.isEmpty()).isTrue();
        assertThat(PastPool.ofBytes(PastPool.EMPTY.toBytes()).isEmpty()).isTrue();
        assertThat(PastPool.EMPTY.meanScore()).isEmpty();
        assertThatThrownBy(PastPool.EMPTY::sample)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("pool: must have windows, found none");
    }

    @Test
    void bytesHoldItWhetherItWasDecodedOrNotSeed7() {
        SplittableRandom random = new SplittableRandom(7);
        Values values = new Values(Map.of(
                "lang", Latencies.LOGNORMAL.sample(1_000, 1, random),
                "übrig", Latencies.BIMODAL.sample(40, 1, random)));
        byte[] bytes = PastPool.of(values, 1.5, -2).toBytes();
        PastPool untouched = PastPool.ofBytes(bytes);
        assertThat(untouched.toBytes()).isEqualTo(bytes);
        Values decoded = (Values) untouched.sample();
        assertThat(decoded.byBucket().keySet()).isEqualTo(values.byBucket().keySet());
        assertThat(decoded.total().quantile(0.99)).isEqualTo(values.total().quantile(0.99));
        assertThat(decoded.n()).isEqualTo(1_040);
        assertThat(untouched.scores()).containsExactly(1.5, -2);
        assertThat(untouched.toBytes()).isEqualTo(bytes);
        assertThat(PastPool.ofBytes(PastPool.of(new Counts(3, 7)).toBytes()).sample())
                .isEqualTo(new Counts(3, 7));
    }
}
