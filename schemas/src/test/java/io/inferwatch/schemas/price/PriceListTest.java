package io.inferwatch.schemas.price;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.inferwatch.schemas.price.PriceList.Price;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PriceListTest {
    @Test
    void theShippedListHasThePublishedPrices() {
        assertThat(PriceList.read(Path.of("../deploy/prices.yaml")).devices())
                .containsExactly(
                        Map.entry("TPUv4", new Price(2.80, 1.35)),
                        Map.entry("A100", new Price(3.20, 1.00)),
                        Map.entry("H100", new Price(4.60, 1.62)));
    }

    @Test
    void allProblemsAreToldTogether() {
        InvalidSettingsException refused =
                catchThrowableOfType(InvalidSettingsException.class, () -> PriceList.parse("prices.yaml", """
                        devices:
                          A100: {dollars-per-hour: 0, relative-throughput: fast}
                          H100: {dollars-per-hours: 4.6, relative-throughput: -1}
                        """));
        assertThat(refused.problems())
                .containsExactlyInAnyOrder(
                        "devices.A100.dollars-per-hour: must be above 0, found 0",
                        "devices.A100.relative-throughput: must be a number from 0, found 'fast'",
                        "devices.H100.dollars-per-hour: must be set, found nothing",
                        "devices.H100.relative-throughput: must be a number from 0, found -1",
                        "devices.H100.dollars-per-hours: unknown key, did you mean 'dollars-per-hour'?");
        assertThat(catchThrowableOfType(InvalidSettingsException.class, () -> PriceList.parse("x", ""))
                        .problems())
                .containsExactly("devices: must be at least one device, found none");
    }
}
