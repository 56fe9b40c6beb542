package io.inferwatch.influx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import com.influxdb.client.domain.WritePrecision;
import com.influxdb.client.write.Point;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PointBuilderTest {
    @Test
    void escapesTagValuesByBackslashAndNeverQuotesThem() {
        String line = PointBuilder.of("llm")
                .tag("model", "meta llama,8B=x")
                .tag("note", "say \"hi\"")
                .integer("v", 1)
                .line(7)
                .orElseThrow();

        assertThat(line).isEqualTo("llm,model=meta\\ llama\\,8B\\=x,note=say\\ \"hi\" v=1i 7");
        assertThat(ParsedLine.parse(line).tags())
                .containsExactly(entry("model", "meta llama,8B=x"), entry("note", "say \"hi\""));
    }

    @Test
    void replacesABackslashAtTheEndOfATagBecauseItWouldEscapeWhatFollows() {
        String line = PointBuilder.of("llm")
                .tag("path", "C:\\models\\")
                .tag("model", "m")
                .real("v", 1)
                .line(7)
                .orElseThrow();

        assertThat(line).isEqualTo("llm,path=C:\\models/,model=m v=1.0 7");
        assertThat(ParsedLine.parse(line).tags()).containsExactly(entry("path", "C:\\models/"), entry("model", "m"));
    }

    @Test
    void leavesOutTagsWithoutValueOrKey() {
        PointBuilder point = PointBuilder.of("llm")
                .tag("pod", "")
                .tag("namespace", null)
                .tag("", "x")
                .real("v", 1);

        assertThat(point.line(7)).hasValue("llm v=1.0 7");
        assertThat(point.leftOut()).isEqualTo(1);
    }

    @Test
    void leavesOutWhatIsNoNumberAndCountsIt() {
        PointBuilder point = PointBuilder.of("llm")
                .real("mean", Double.NaN)
                .real("p99", Double.POSITIVE_INFINITY)
                .integer("n", 3);

        assertThat(point.line(7)).hasValue("llm n=3i 7");
        assertThat(point.leftOut()).isEqualTo(2);
    }

    @Test
    void aPointWithoutFieldsHasNoLine() {
        PointBuilder point = PointBuilder.of("llm").tag("model", "m").real("mean", Double.NaN);

        assertThat(point.line(7)).isEmpty();
        assertThat(point.leftOut()).isEqualTo(1);
    }

    @Test
    void keepsOneTypePerField() {
        assertThat(PointBuilder.of("gpu").real("temp", 41.5).line(1)).hasValue("gpu temp=41.5 1");
        assertThat(PointBuilder.of("gpu").real("temp", 42).line(2)).hasValue("gpu temp=42.0 2");
        assertThat(PointBuilder.of("gpu").integer("errors_total", 42).line(3)).hasValue("gpu errors_total=42i 3");
    }

    @Test
    void escapesQuotesAndBackslashesInTexts() {
        String text = "say \"hi\" from C:\\tmp\\";

        String line =
                PointBuilder.of("log").text("msg", text).integer("n", 1).line(7).orElseThrow();

        assertThat(line).isEqualTo("log msg=\"say \\\"hi\\\" from C:\\\\tmp\\\\\",n=1i 7");
        assertThat(ParsedLine.parse(line).fields()).containsExactly(entry("msg", text), entry("n", 1L));
    }

    @Test
    void refusesTheReservedKey() {
        PointBuilder point =
                PointBuilder.of("m").tag("time", "x").real("time", 1).integer("v", 1);

        assertThat(point.line(7)).hasValue("m v=1i 7");
        assertThat(point.leftOut()).isEqualTo(2);
    }

    @Test
    void aLineIsOneLine() {
        String line =
                PointBuilder.of("m").tag("t", "a\nb\tc").integer("v", 1).line(7).orElseThrow();

        assertThat(line).isEqualTo("m,t=a\\ b\\ c v=1i 7");
    }

    @Test
    void aMeasurementNeedsAName() {
        assertThatThrownBy(() -> PointBuilder.of("")).hasMessage("measurement: must have a name, found nothing");
    }

    @Test
    void agreesWithTheOfficialClientWhereThatIsRight() {
        String text = "a b,c=d \"e\" \\f ü 漢";
        String official = Point.measurement("m x,y")
                .addTag("k 1", text)
                .addField("msg", text)
                .time(7L, WritePrecision.US)
                .toLineProtocol();

        assertThat(PointBuilder.of("m x,y").tag("k 1", text).text("msg", text).line(7))
                .hasValue(official);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whatIsWrittenReadsAsItWasMeant(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 500; i++) {
            String tag = randomText(random);
            String text = randomText(random);
            double real = Double.longBitsToDouble(random.nextLong());
            long integer = random.nextLong();

            PointBuilder point = PointBuilder.of("m")
                    .tag("a", tag)
                    .tag("z", "last")
                    .text("text", text)
                    .real("real", real)
                    .integer("integer", integer);
            ParsedLine line = ParsedLine.parse(point.line(i).orElseThrow());

            String expected = tag.replaceAll("[\\n\\r\\t]", " ").replaceAll("\\\\$", "/");
            assertThat(line.tags())
                    .isEqualTo(
                            tag.isEmpty()
                                    ? java.util.Map.of("z", "last")
                                    : java.util.Map.of("a", expected, "z", "last"));
            assertThat(line.fields()).containsEntry("text", text).containsEntry("integer", integer);
            if (Double.isFinite(real)) {
                assertThat(line.fields()).containsEntry("real", real);
            } else {
                assertThat(line.fields()).doesNotContainKey("real");
            }
            assertThat(line.time()).isEqualTo(i);
        }
    }

    @Test
    void theReadingOfTheseTestsSkipsComments() {
        assertThat(ParsedLine.parseAll("# ERROR: NaN is an unsupported value for field value process_list\ncpu v=1 1"))
                .containsExactly(new ParsedLine("cpu", java.util.Map.of(), java.util.Map.of("v", 1.0), 1));
    }

    static String randomText(SplittableRandom random) {
        String alphabet = "ab \\,=\"\n\t#ü漢'/{}";
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(8);
        for (int i = 0; i < length; i++) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }
}
