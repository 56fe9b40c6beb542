package io.inferwatch.analytics.nab;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.analytics.RecordedData;
import io.inferwatch.analytics.anomaly.AnomalyRule;
import io.inferwatch.analytics.anomaly.ShapeChannel;
import io.inferwatch.analytics.nab.LabelledScores.Window;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Public series with labelled anomalies, as far as they are at hand; with the parameters that everything uses. */
class NabOfRecordedDataTest {
    private static final Pattern FILE = Pattern.compile("\"([^\"]+\\.csv)\": \\[((?:\\s*\\[[^\\]]*\\],?)*)\\s*\\]");
    private static final Pattern TIME = Pattern.compile("\"([^\"]{19})[^\"]*\"");

    /** The best published detector has 78.78 on these series, 65 on the profile that minds false alarms over all of the benchmark's. */
    @Test
    void theShapeChannelFindsWhatWasLabelled() {
        List<LabelledScores> all = new ArrayList<>();
        String labels = String.join("\n", RecordedData.lines("nab/combined_windows.json"));
        for (Matcher file = FILE.matcher(labels); file.find(); ) {
            all.add(scored(file.group(1), file.group(2)));
        }
        assertThat(all).hasSize(29);
        assertThat(all.stream().mapToInt(one -> one.windows().size()).sum()).isEqualTo(54);

        assertThat(NabScore.best(all, Profile.STANDARD).normalised()).isGreaterThanOrEqualTo(78);
        assertThat(NabScore.best(all, Profile.LOW_FALSE_ALARMS).normalised()).isGreaterThanOrEqualTo(68);
        assertThat(NabScore.best(all, Profile.LOW_MISSES).normalised()).isGreaterThanOrEqualTo(82);
    }

    private static LabelledScores scored(String file, String windows) {
        List<String> rows = RecordedData.lines("nab/data/" + file);
        List<String> times =
                rows.stream().skip(1).map(row -> row.substring(0, 19)).toList();
        ShapeChannel channel = new ShapeChannel(AnomalyRule.STANDARD.shape(), LabelledScores.probation(times.size()));
        double[] scores = rows.stream()
                .skip(1)
                .mapToDouble(row -> channel.score(Double.parseDouble(row.substring(20))))
                .toArray();
        List<Window> labelled = new ArrayList<>();
        for (Matcher time = TIME.matcher(windows); time.find(); ) {
            int first = times.indexOf(time.group(1));
            assertThat(time.find()).isTrue();
            labelled.add(new Window(first, times.indexOf(time.group(1))));
        }
        return new LabelledScores(file, scores, labelled);
    }
}
