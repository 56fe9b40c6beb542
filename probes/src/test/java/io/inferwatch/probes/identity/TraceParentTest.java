package io.inferwatch.probes.identity;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceParentTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String SPAN = "b7ad6b7169203331";

    @Test
    void readsTheW3cForm() {
        assertThat(TraceParent.parse(" 00-" + TRACE + "-" + SPAN + "-01 ")).isEqualTo(new TraceParent(TRACE, SPAN));
    }

    @Test
    void laterVersionsMayCarryMore() {
        assertThat(TraceParent.parse("cc-" + TRACE + "-" + SPAN + "-01-what-ever"))
                .isEqualTo(new TraceParent(TRACE, SPAN));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
                "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
                "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
                "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.more",
                "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01"
            })
    void anythingElseIsNone(String header) {
        assertThat(TraceParent.parse(header)).isNull();
    }
}
