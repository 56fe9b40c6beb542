package io.inferwatch.notifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferwatch.servers.AlertmanagerServer;
import io.inferwatch.servers.Availability;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The configuration that is shipped, by Alertmanager's own tool. */
class ShippedConfigurationIT {
    private static final String FILE = "../../deploy/alertmanager/alertmanager.yml";

    @Test
    void alertmanagerTakesIt() throws Exception {
        assertThat(amtool("check-config", FILE))
                .contains("SUCCESS")
                .contains("1 inhibit rules")
                .contains("4 receivers");
    }

    @ParameterizedTest
    @CsvSource({
        "severity=page alertname=slo-burn, 'everything,pages'",
        "severity=ticket alertname=drift, 'everything,tickets'",
        "alertname=InferwatchWatchdog severity=ticket, watchdog"
    })
    void alertsGoWhereTheirSeveritySays(String labels, String receivers) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("config", "routes", "test", "--config.file=" + FILE));
        arguments.addAll(List.of(labels.split(" ", -1)));
        assertThat(amtool(arguments.toArray(new String[0])).strip()).isEqualTo(receivers);
    }

    private static String amtool(String... arguments) throws Exception {
        Availability<Path> tool = AlertmanagerServer.findTool();
        assumeTrue(tool.isFound(), tool.reason());
        List<String> command = new ArrayList<>(List.of(tool.get().toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
