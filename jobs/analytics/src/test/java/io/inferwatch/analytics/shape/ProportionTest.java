package io.inferwatch.analytics.shape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Expected limits by SciPy 1.17: binomtest(...).proportion_ci("exact"), and chi2.ppf of Garwood's formula. */
class ProportionTest {
    private static final Offset<Double> EXACT = within(1e-9);

    @Test
    void aShare() {
        Estimate share = Proportion.of(37, 400).orElseThrow();
        assertThat(share.value()).isEqualTo(0.0925);
        assertThat(share.low()).isCloseTo(0.06596594259068848, EXACT);
        assertThat(share.high()).isCloseTo(0.1252433130966564, EXACT);
    }

    @Test
    void noneAndAllHaveOneLimit() {
        assertThat(Proportion.of(0, 20).orElseThrow().low()).isZero();
        assertThat(Proportion.of(0, 20).orElseThrow().high()).isCloseTo(0.16843347098308548, EXACT);
        assertThat(Proportion.of(20, 20).orElseThrow().low()).isCloseTo(1 - 0.16843347098308548, EXACT);
        assertThat(Proportion.of(20, 20).orElseThrow().high()).isEqualTo(1);
        assertThat(Proportion.of(0, 0)).isEmpty();
    }

    @Test
    void aCount() {
        Estimate count = Proportion.count(87);
        assertThat(count.value()).isEqualTo(87);
        assertThat(count.low()).isCloseTo(69.6834335358197, within(1e-6));
        assertThat(count.high()).isCloseTo(107.31417858252382, within(1e-6));
        assertThat(Proportion.count(0).low()).isZero();
        assertThat(Proportion.count(0).high()).isCloseTo(3.688879454113936, within(1e-9));
    }
}
