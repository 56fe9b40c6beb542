package io.inferwatch.dashboards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.influx.Statistic;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DashboardsTest {
    private static final Path COMMITTED = Path.of("dashboards");
    private static final Pattern VARIABLE = Pattern.compile("/\\^\\$([a-z]+)\\$/");

    private final ObjectMapper json = new ObjectMapper();

    @Test
    void theCommittedFilesAreThoseOfTheSource(@TempDir Path written) throws IOException {
        DashboardFiles.write(written);
        assertThat(contents(COMMITTED))
                .as("stale: mvn -q -Pdashboards -pl deploy/grafana -am process-classes writes them")
                .isEqualTo(contents(written));
    }

    @Test
    void everyDashboardThatIsAskedForIsThere() {
        assertThat(Dashboards.all())
                .extracting(Dashboard::title)
                .containsExactly(
                        "Fleet overview",
                        "Latency",
                        "Drift and mix",
                        "Anomalies",
                        "Chain and prompts",
                        "Engine",
                        "GPU",
                        "GPU bottlenecks and scheduling",
                        "Memory",
                        "Objectives",
                        "Cost and tenants",
                        "Load runs",
                        "Alerts",
                        "Inferwatch's own health");
    }

    @Test
    void everyPanelSaysWhatItIsAndWhyItMayBeEmpty() {
        for (Dashboard dashboard : Dashboards.all()) {
            assertThat(dashboard.panels()).extracting(Panel::title).doesNotHaveDuplicates();
            assertThat(dashboard.panels()).allSatisfy(panel -> {
                assertThat(panel.description()).endsWith(".").hasSizeGreaterThan(10);
                assertThat(panel.whenEmpty()).endsWith(".").hasSizeGreaterThan(10);
                assertThat(panel.queries()).isNotEmpty();
            });
        }
    }

    @Test
    void panelsHaveNumbersOfTheirOwnAndDoNotOverlap() throws IOException {
        for (JsonNode dashboard : committed()) {
            Set<Integer> ids = new HashSet<>();
            Set<List<Integer>> cells = new HashSet<>();
            for (JsonNode panel : dashboard.get("panels")) {
                assertThat(ids.add(panel.get("id").intValue())).isTrue();
                JsonNode place = panel.get("gridPos");
                int right = place.get("x").intValue() + place.get("w").intValue();
                assertThat(right).isLessThanOrEqualTo(24);
                for (int x = place.get("x").intValue(); x < right; x++) {
                    for (int y = place.get("y").intValue();
                            y < place.get("y").intValue() + place.get("h").intValue();
                            y++) {
                        assertThat(cells.add(List.of(x, y)))
                                .as("%s at %d, %d", panel.get("title"), x, y)
                                .isTrue();
                    }
                }
            }
        }
    }

    @Test
    void linksAndVariablesLeadSomewhere() throws IOException {
        List<JsonNode> dashboards = committed();
        Set<String> uids = new HashSet<>();
        dashboards.forEach(dashboard -> uids.add(dashboard.get("uid").asText()));
        for (JsonNode dashboard : dashboards) {
            Set<String> offered = new HashSet<>();
            dashboard
                    .at("/templating/list")
                    .forEach(variable -> offered.add(variable.get("name").asText()));
            Set<String> used = new HashSet<>(Set.of("datasource"));
            for (JsonNode panel : dashboard.get("panels")) {
                panel.path("links").forEach(link -> assertThat(uids)
                        .contains(link.get("url").asText().replaceAll("^/d/([^?]+).*", "$1")));
                panel.path("targets").forEach(target -> {
                    Matcher matcher = VARIABLE.matcher(target.get("query").asText());
                    while (matcher.find()) {
                        used.add(matcher.group(1));
                    }
                });
            }
            assertThat(used).as("%s", dashboard.get("title")).isEqualTo(offered);
        }
    }

    @Test
    void bandsAreFilledDownToSeriesThatAreThere() throws IOException {
        int bands = 0;
        for (JsonNode dashboard : committed()) {
            for (JsonNode panel : dashboard.get("panels")) {
                for (JsonNode property : panel.findValues("properties")) {
                    for (JsonNode one : property) {
                        if (one.get("id").asText().equals("custom.fillBelowTo")) {
                            bands++;
                            assertThat(panel.at("/targets/0/query").asText())
                                    .contains("AS \"" + one.get("value").asText() + "\"");
                        }
                    }
                }
            }
        }
        assertThat(bands).isGreaterThanOrEqualTo(9);
    }

    @Test
    void namesThatAreNotStoredAreRefused() {
        Stored stored = new Stored(MetricCatalogue.shipped());
        assertThat(stored.field("ttft", Statistic.P99)).isEqualTo("ttft_p99_seconds");
        assertThat(stored.view(RetentionPolicy.R10S, "fleet").from()).isEqualTo("\"r10s\".\"request\"");
        assertThatThrownBy(() -> stored.field("ttft", Statistic.LAST)).hasMessageContaining("ttft_last_seconds");
        assertThatThrownBy(() -> stored.field("reqests")).hasMessageContaining("'reqests'");
        assertThatThrownBy(() -> stored.view(RetentionPolicy.R1M, "flet")).hasMessageContaining("'flet'");
        assertThatThrownBy(() -> stored.view(RetentionPolicy.R10S, "node")).hasMessageContaining("ten seconds");
        assertThatThrownBy(() -> stored.variable("node", "model", "Model")).hasMessageContaining("'model'");
    }

    @Test
    void provisioningNamesTheSameKindOfSource() throws IOException {
        ObjectMapper yaml = new ObjectMapper(new YAMLFactory());
        JsonNode source = yaml.readTree(Files.readString(Path.of("provisioning", "datasources", "inferwatch.yaml")));
        assertThat(source.at("/datasources/0/type").asText()).isEqualTo("influxdb");
        assertThat(source.at("/datasources/0/jsonData/version").asText()).isEqualTo("InfluxQL");
        JsonNode provider = yaml.readTree(Files.readString(Path.of("provisioning", "dashboards", "inferwatch.yaml")));
        assertThat(provider.at("/providers/0/options/path").asText()).isEqualTo("${INFERWATCH_DASHBOARDS}");
    }

    private List<JsonNode> committed() throws IOException {
        List<JsonNode> dashboards = new ArrayList<>();
        for (String text : contents(COMMITTED).values()) {
            dashboards.add(json.readTree(text));
        }
        return dashboards;
    }

    private static Map<String, String> contents(Path directory) throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                contents.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        return contents;
    }
}
