package io.inferwatch.analytics.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class BatchFillTest {
    @Test
    void theIdealLeavesNoPlaceEmptyWhileSomebodyWaits() {
        BatchFill fill = BatchFill.of(16, 0, 64).plus(BatchFill.of(48, 100, 64)).plus(BatchFill.of(32, 8, 64));
        assertThat(fill.rate()).hasValue(96 / 192.0);
        assertThat(fill.idealRate()).hasValue((16 + 64 + 40) / 192.0);
    }

    @Test
    void nothingHasNoRate() {
        assertThat(BatchFill.NONE.rate()).isEmpty();
        assertThat(BatchFill.NONE.idealRate()).isEmpty();
    }

    @Test
    void moreThanThePlacesIsRefused() {
        assertThatThrownBy(() -> BatchFill.of(65, 0, 64))
                .hasMessage("running, wanted, places: must be from 0 and not fall, found 65, 64 and 64");
        assertThatThrownBy(() -> BatchFill.of(1, -1, 64)).hasMessage("waiting: must be at least 0, found -1");
    }
}
