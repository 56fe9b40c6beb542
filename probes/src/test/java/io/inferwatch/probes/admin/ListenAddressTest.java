package io.inferwatch.probes.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ListenAddressTest {
    @ParameterizedTest
    @CsvSource({
        "9464, 127.0.0.1, 9464, 127.0.0.1:9464",
        "0.0.0.0:8000, 0.0.0.0, 8000, 0.0.0.0:8000",
        "gpu-7.example:65535, gpu-7.example, 65535, gpu-7.example:65535",
        "[::1]:0, ::1, 0, [::1]:0"
    })
    void readsHostAndPort(String text, String host, int port, String written) {
        ListenAddress address = ListenAddress.parse(text);
        assertThat(address).isEqualTo(new ListenAddress(host, port));
        assertThat(address).hasToString(written);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "host", "host:", "host:65536", "::1:80", ":80", "host:-1", "a b:c"})
    void refusesWhatIsNoAddress(String text) {
        assertThatThrownBy(() -> ListenAddress.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("must be HOST:PORT, or PORT for loopback, found '" + text + "'");
    }

    @Test
    void withoutAHostItIsLoopback() {
        assertThat(ListenAddress.parse("80").socketAddress().getAddress().isLoopbackAddress())
                .isTrue();
    }
}
