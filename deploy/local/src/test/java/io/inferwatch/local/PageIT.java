package io.inferwatch.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferwatch.dashboards.Dashboard;
import io.inferwatch.dashboards.Dashboards;
import io.inferwatch.dashboards.Panel;
import io.inferwatch.dashboards.Query;
import io.inferwatch.influx.InfluxClient;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxRow;
import io.inferwatch.influx.InfluxSeries;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.viewer.Viewer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;

/**
 * Every dashboard on what the real jobs made of a simulated fleet: its queries asked of InfluxDB directly, and its page in a real browser, light and dark, on a wide and a narrow
 * screen. The screenshots are in {@code target/screenshots}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(StoredFleetResolver.class)
class PageIT {
    private static final Path SCREENSHOTS = Path.of("target", "screenshots");
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** What the study of a day says only when a day was full of failures, or an experiment; in a fleet of minutes it is {@code insufficient}. */
    private static final Set<String> OF_A_DAY = Set.of(
            "Do captures fail where batches are restless?: Dealt out: share less the baseline's",
            "Do captures fail where batches are restless?: Ratio",
            "Do captures fail where batches are restless?: from",
            "Do captures fail where batches are restless?: to");

    private final InfluxClient client;
    private final Viewer viewer;

    PageIT(StoredFleet fleet) throws IOException {
        client = InfluxClient.open(fleet.influx());
        viewer = Viewer.start(fleet.influx(), 0);
        Files.createDirectories(SCREENSHOTS);
    }

    @AfterAll
    void stop() throws Exception {
        viewer.close();
        client.close();
    }

    @Test
    void everyQueryGivesTheSeriesThatItPromises() {
        InfluxReader reader = new InfluxReader(client);
        SoftAssertions softly = new SoftAssertions();
        Instant now = Instant.now();
        for (Dashboard dashboard : Dashboards.all()) {
            for (Panel panel : dashboard.panels()) {
                for (Query query : panel.queries()) {
                    List<InfluxSeries> answer = reader.query(RetentionPolicy.DEFAULT, expanded(query, now));
                    softly.assertThat(columnsWithValues(answer))
                            .as("%s, %s: %s", dashboard.title(), panel.title(), query.influxQl())
                            .containsAll(query.labels().stream()
                                    .filter(label -> !OF_A_DAY.contains(panel.title() + ": " + label))
                                    .toList());
                    if (!(query instanceof Query.LastStates)) {
                        softly.assertThat(answer)
                                .as("%s, %s", dashboard.title(), panel.title())
                                .allSatisfy(series -> assertThat(series.tags().keySet())
                                        .containsExactlyInAnyOrderElementsOf(query.by()));
                    }
                }
            }
        }
        softly.assertAll();
    }

    @Test
    void everyDashboardShowsItsPanelsInARealBrowser() throws IOException {
        var chromium = Chromium.find();
        assumeTrue(chromium.isFound(), chromium.reason());
        ChromeDriver browser = chromium.get().open();
        try {
            for (String theme : List.of("light", "dark")) {
                browser.executeCdpCommand(
                        "Emulation.setEmulatedMedia",
                        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", theme))));
                for (int width : List.of(1280, 390)) {
                    for (Dashboard dashboard : Dashboards.all()) {
                        setSize(browser, width, 900);
                        open(browser, dashboard);
                        assertShown(browser, dashboard);
                        screenshot(browser, "%s-%s-%d".formatted(dashboard.uid(), theme, width));
                    }
                }
            }
            assertQuiet(browser);
            assertAsksNobodyElse(browser);
        } finally {
            browser.quit();
        }
    }

    @Test
    void thePageIsUsedByKeyboardAlone() {
        var chromium = Chromium.find();
        assumeTrue(chromium.isFound(), chromium.reason());
        ChromeDriver browser = chromium.get().open();
        try {
            setSize(browser, 1280, 900);
            open(browser, Dashboards.all().get(1));
            WebElement choice = browser.findElement(By.cssSelector("#variables .choice:nth-child(3) summary"));
            press(browser, choice, Keys.ENTER);
            WebElement first = browser.findElement(By.cssSelector("#variables .choice[open] label:nth-child(2) input"));
            press(browser, first, Keys.SPACE);
            await().atMost(PATIENCE)
                    .until(() -> String.valueOf(browser.getCurrentUrl()).endsWith("var-replica=replica-0"));
            await("one line")
                    .atMost(PATIENCE)
                    .until(() ->
                            browser.findElements(By.cssSelector("[data-title='TTFT P99 by replica'] .legend button"))
                                            .size()
                                    == 1);
            press(browser, first, Keys.ESCAPE);
            assertThat(browser.findElements(By.cssSelector("#variables .choice[open]")))
                    .isEmpty();
            WebElement chart = browser.findElement(By.cssSelector("[data-title='Time to first token'] .chart"));
            press(browser, chart, Keys.ARROW_LEFT);
            await("the values at the cursor").atMost(PATIENCE).until(() -> {
                press(browser, chart, Keys.ARROW_LEFT);
                return chart.findElement(By.cssSelector(".tip")).getText().contains("P99");
            });
            press(browser, browser.findElement(By.id("theme")), Keys.ENTER);
            assertThat(browser.findElement(By.tagName("html")).getAttribute("data-theme"))
                    .isEqualTo("dark");
            assertQuiet(browser);
        } finally {
            browser.quit();
        }
    }

    private void open(ChromeDriver browser, Dashboard dashboard) {
        // From elsewhere, so that the page starts anew and not by a change of its address.
        browser.get("about:blank");
        browser.get(viewer.url() + "#/" + dashboard.uid() + "?range=1h");
        await(dashboard.title()).atMost(PATIENCE).until(() -> browser.findElement(By.tagName("body"))
                .getAttribute("data-state")
                .equals("ready"));
    }

    private void assertShown(ChromeDriver browser, Dashboard dashboard) {
        Map<String, String> states = new HashMap<>();
        for (WebElement panel : browser.findElements(By.cssSelector("section.panel"))) {
            states.put(panel.getAttribute("data-title"), panel.getAttribute("data-state"));
        }
        Map<String, String> expected = new HashMap<>();
        dashboard.panels().forEach(panel -> expected.put(panel.title(), "data"));
        assertThat(states).as(dashboard.title()).isEqualTo(expected);
        assertThat(browser.executeScript(
                        "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
                .as("%s does not stand over its edge", dashboard.title())
                .isEqualTo(true);
    }

    private static void assertQuiet(ChromeDriver browser) {
        assertThat(browser.manage().logs().get(LogType.BROWSER).getAll())
                .extracting(LogEntry::getMessage)
                .isEmpty();
    }

    private void assertAsksNobodyElse(ChromeDriver browser) {
        Object asked =
                browser.executeScript("return performance.getEntriesByType('resource').map(entry => entry.name)");
        List<String> addresses = new ArrayList<>();
        ((List<?>) asked).forEach(address -> addresses.add(String.valueOf(address)));
        assertThat(addresses).isNotEmpty().allSatisfy(address -> assertThat(address)
                .startsWith(viewer.url()));
    }

    private static void press(ChromeDriver browser, WebElement element, Keys key) {
        browser.executeScript("arguments[0].focus()", element);
        new Actions(browser).sendKeys(key).perform();
    }

    private static void setSize(ChromeDriver browser, int width, int height) {
        browser.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    /** Of the whole page: as high as it is, so that nothing is drawn that has not been laid out. */
    private static void screenshot(ChromeDriver browser, String name) throws IOException {
        Map<String, Object> shot = browser.executeCdpCommand(
                "Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", true));
        Files.write(SCREENSHOTS.resolve(name + ".png"), Base64.getDecoder().decode(String.valueOf(shot.get("data"))));
    }

    /** As Grafana replaces macros when everything is chosen. */
    private static String expanded(Query query, Instant now) {
        return query.influxQl()
                .replace(
                        "$timeFilter",
                        "time >= " + now.minus(Duration.ofHours(1)).toEpochMilli() + "ms and time <= "
                                + now.toEpochMilli() + "ms")
                .replace("$__interval", "1m")
                .replaceAll("/\\^\\$[a-z]+\\$/", "/^.*\\$/");
    }

    private static Set<String> columnsWithValues(List<InfluxSeries> answer) {
        Set<String> found = new HashSet<>();
        for (InfluxSeries series : answer) {
            for (InfluxRow row : series.rows()) {
                for (int i = 0; i < row.columns().size(); i++) {
                    if (!row.values().get(i).isNull()) {
                        found.add(row.columns().get(i));
                    }
                }
            }
        }
        return new TreeSet<>(found);
    }
}
