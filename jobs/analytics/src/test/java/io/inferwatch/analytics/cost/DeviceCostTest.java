package io.inferwatch.analytics.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.analytics.cost.CostShares.Tokens;
import java.util.List;
import java.util.Map;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeviceCostTest {
    private static final Offset<Double> ROUNDING = Offset.offset(1e-12);
    private static final DevicePrice TPU_V4 = new DevicePrice("TPUv4", 2.80, 1.35);
    private static final DevicePrice A100 = new DevicePrice("A100", 3.20, 1.00);
    private static final DevicePrice H100 = new DevicePrice("H100", 4.60, 1.62);
    private static final List<DevicePrice> LIST = List.of(TPU_V4, A100, H100);

    /**
     * An hour of one A100: 600 s idle, 700 s of prefill, 200 s of KV sync, 100 s of communication; the 2,000 s that are left generate 2,000,000 tokens, a
     * thousand a second.
     */
    private static final DeviceWork HOUR =
            new DeviceWork(3_600, 600, 700, 200, 100, 1_400_000, 2_000_000, 5_000, 50_000, 150_000);

    /** The table of the list: 2.80, 3.20 and 4.60 dollars an hour at 1.35, 1.00 and 1.62 times the throughput that was measured. */
    @ParameterizedTest
    @CsvSource({"TPUv4, 1350, 0.000576131687", "A100, 1000, 0.000888888889", "H100, 1620, 0.000788751715"})
    void dollarsForAThousandTokensOnEachDevice(String name, double tokensPerSecond, double dollars) {
        double measured = HOUR.effectiveThroughput().orElseThrow();
        assertThat(measured).isCloseTo(1_000, ROUNDING);
        DeviceChoice choice = DeviceChoice.of(LIST, A100, measured, 1).stream()
                .filter(one -> one.device().name().equals(name))
                .findFirst()
                .orElseThrow();
        assertThat(choice.tokensPerSecond()).isCloseTo(tokensPerSecond, Offset.offset(1e-9));
        assertThat(choice.perThousandTokens()).isCloseTo(dollars, ROUNDING);
    }

    /** Whole devices: one TPU for 1,350 tokens a second, above that an H100 is cheaper than two, above 1,620 two TPUs again. */
    @ParameterizedTest
    @CsvSource({
        "800, TPUv4, 1, 2.80",
        "1350, TPUv4, 1, 2.80",
        "1351, H100, 1, 4.60",
        "1620, H100, 1, 4.60",
        "1621, TPUv4, 2, 5.60",
        "27000, TPUv4, 20, 56.00"
    })
    void theCheapestForALoadIsByWholeDevices(double load, String device, long devices, double dollarsPerHour) {
        DeviceChoice cheapest = DeviceChoice.of(LIST, A100, 1_000, load).get(0);
        assertThat(cheapest.device().name()).isEqualTo(device);
        assertThat(cheapest.devices()).isEqualTo(devices);
        assertThat(cheapest.dollarsPerHour()).isCloseTo(dollarsPerHour, ROUNDING);
    }

    @Test
    void throughputCountsFromWhereverItWasMeasured() {
        assertThat(H100.throughputOn(A100, 1_620)).isCloseTo(1_000, Offset.offset(1e-9));
        assertThat(DeviceChoice.of(LIST, H100, 1_620, 1_351).get(0).device()).isEqualTo(H100);
    }

    @Test
    void anHourCostsItsPriceAndWhatWasForNothingIsPartOfIt() {
        DeviceCost cost = DeviceCost.of(HOUR, A100);
        assertThat(cost.dollars()).isCloseTo(3.20, ROUNDING);
        assertThat(cost.perThousandTokens().orElseThrow()).isCloseTo(3.20 / 3_600, ROUNDING);
        // 1,800,000 tokens that somebody got, with all of the hour.
        assertThat(cost.allInPerThousandTokens().orElseThrow()).isCloseTo(3.20 / 1_800, ROUNDING);
        assertThat(cost.perRequest().orElseThrow()).isCloseTo(3.20 / 5_000, ROUNDING);
        assertThat(cost.idleDollars()).isCloseTo(3.20 / 6, ROUNDING);
        assertThat(cost.preemptedDollars()).isCloseTo(50 * 3.20 / 3_600, ROUNDING);
        assertThat(cost.failedDollars()).isCloseTo(150 * 3.20 / 3_600, ROUNDING);
        assertThat(cost.wastedDollars()).isCloseTo(3.20 / 6 + 200 * 3.20 / 3_600, ROUNDING);
    }

    /** Without prefill, KV sync and communication the same tokens look cheaper than they were. */
    @Test
    void allInIsNeverLessThanWhatGeneratingCosts() {
        DeviceCost cost = DeviceCost.of(HOUR, A100);
        assertThat(cost.allInPerThousandTokens().orElseThrow())
                .isGreaterThan(cost.perThousandTokens().orElseThrow());
    }

    @Test
    void whatIsNotKnownIsLeftOut() {
        DeviceCost idle = DeviceCost.of(new DeviceWork(3_600, 3_600, 0, 0, 0, 0, 0, 0, 0, 0), A100);
        assertThat(idle.perThousandTokens()).isEmpty();
        assertThat(idle.allInPerThousandTokens()).isEmpty();
        assertThat(idle.perRequest()).isEmpty();
        assertThat(idle.wastedDollars()).isCloseTo(3.20, ROUNDING);
        // Times that overlap leave none to generate in.
        assertThat(new DeviceWork(100, 50, 60, 0, 0, 1, 1, 1, 0, 0).effectiveThroughput())
                .isEmpty();
    }

    /** 700 s go by prompts, the 2,300 s of generating, KV sync and communication by generated tokens. */
    @Test
    void sharesAddUpToTheWhole() {
        Map<String, Double> shares = CostShares.of(
                HOUR,
                Map.of(
                        "a",
                        new Tokens(1_050_000, 500_000),
                        "b",
                        new Tokens(350_000, 1_500_000),
                        "c",
                        new Tokens(0, 0)));
        assertThat(shares.get("a")).isCloseTo((700 * 0.75 + 2_300 * 0.25) / 3_000, ROUNDING);
        assertThat(shares.get("b")).isCloseTo((700 * 0.25 + 2_300 * 0.75) / 3_000, ROUNDING);
        assertThat(shares.get("c")).isZero();
        assertThat(shares.values().stream().mapToDouble(share -> share).sum()).isCloseTo(1, ROUNDING);
        assertThat(CostShares.of(HOUR, Map.of("a", new Tokens(0, 0), "b", new Tokens(0, 0))))
                .containsEntry("a", 0.5);
        assertThat(CostShares.of(HOUR, Map.of("a", new Tokens(7, 0), "b", new Tokens(0, 0))))
                .containsEntry("a", 1.0);
    }

    @Test
    void nonsenseIsRefused() {
        assertThatThrownBy(() -> new DevicePrice("x", 0, 1))
                .hasMessage("dollarsPerHour: must be above 0 and finite, found 0.0");
        assertThatThrownBy(() -> new DevicePrice("x", 1, Double.NaN))
                .hasMessage("relativeThroughput: must be above 0 and finite, found NaN");
        assertThatThrownBy(() -> new DeviceWork(-1, 0, 0, 0, 0, 0, 0, 0, 0, 0))
                .hasMessage("seconds: must be at least 0 and finite, found -1.0");
        assertThatThrownBy(() -> new DeviceWork(1, 0, 0, 0, 0, 0, 10, 0, 6, 5))
                .hasMessage("generatedTokens: must be at least the 11 that were lost, found 10");
        assertThatThrownBy(() -> DeviceChoice.of(LIST, A100, 0, 1))
                .hasMessage("tokensPerSecond: must be above 0 and finite, found 0.0");
    }
}
