package io.inferwatch.probes.engine.exposition;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageReaderTest {
    private final ReadPage page = new ReadPage();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "1",
                "-1",
                "+3",
                "1.5",
                ".5",
                "5.",
                "1e3",
                "1E-3",
                "1.7395575657589855e+09",
                "9223372036854775794",
                "9.223372036854776e+18",
                "0.1",
                "123456789012345678901234567890",
                "1e308",
                "4.9e-324",
                "0.30000000000000004",
                "1e400",
                "-0",
                "1e-400",
                "9007199254740993",
                "0.000000000000000000000000000001",
                "5.0e-1"
            })
    void aNumberIsTheNearestDouble(String text) {
        assertThat(page.read("m " + text + "\n").value("m")).isEqualTo(Double.parseDouble(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"NaN", "nan", "-NaN", "+nan"})
    void notANumberIsRead(String text) {
        assertThat(page.read("m " + text + "\n").value("m")).isNaN();
    }

    @Test
    void infinitiesAreRead() {
        assertThat(page.read("m +Inf\n").value("m")).isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(page.read("m -inf\n").value("m")).isEqualTo(Double.NEGATIVE_INFINITY);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1d", "0x10", "1e", "--1", ".", "-", "1_000", "1,5", "e5", "Infinite", "1e5e5"})
    void whatJavaOrOthersWouldTakeIsNoNumber(String text) {
        page.read("m " + text + "\n");
        assertThat(page.samples()).isEmpty();
        assertThat(page.rejections()).containsExactly(Rejection.NOT_A_NUMBER);
    }

    @Test
    void randomDecimalsAreTheNearestDoublesSeed7() {
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            String text = random.nextInt(3) == 0
                    ? Double.toString(random.nextGaussian() * Math.pow(10, random.nextInt(40) - 20))
                    : random.nextInt(1_000_000) + "." + random.nextInt(1_000_000);
            assertThat(page.read("m " + text).value("m")).as(text).isEqualTo(Double.parseDouble(text));
        }
    }

    @Test
    void timesAreMillisecondsInTextAndSecondsInOpenMetrics() {
        assertThat(page.read("m 1 1700000000123\n").samples().get(0).atMillis()).isEqualTo(1_700_000_000_123L);
        assertThat(page.read("m 1 1700000000.123\n# EOF\n", true)
                        .samples()
                        .get(0)
                        .atMillis())
                .isEqualTo(1_700_000_000_123L);
        page.read("m 1 yesterday\nn 2 3 4\n");
        assertThat(page.samples()).isEmpty();
        assertThat(page.rejections()).containsExactly(Rejection.MALFORMED_END, Rejection.MALFORMED_END);
    }

    @Test
    void aSeriesThatIsThereTwiceCountsOnce() {
        page.read("m{a=\"1\"} 1\nm{a=\"2\"} 2\nm{a=\"1\"} 3\n");
        assertThat(page.samples().stream().map(ReadPage.Sample::value)).containsExactly(1.0, 2.0);
        assertThat(page.rejections()).containsExactly(Rejection.DUPLICATE);
    }

    @Test
    void carriageReturnsAndBlankLinesDoNoHarm() {
        page.read("# HELP m x\r\n\r\nm{a=\"1\"} 1\r\n  n\t2 \r\n\n");
        assertThat(page.samples().stream().map(ReadPage.Sample::value)).containsExactly(1.0, 2.0);
        assertThat(page.rejections()).isEmpty();
    }

    /** What a reader makes of a page must not depend on what it read before: every page is read by a fresh one too. */
    @Test
    void aPageMeansTheSameWhateverWasReadBeforeSeed11() {
        Random random = new Random(11);
        for (int page = 0; page < 300; page++) {
            List<String> lines = new ArrayList<>(IntStream.range(0, random.nextInt(40))
                    .mapToObj(
                            i -> "m" + random.nextInt(20) + "{a=\"" + random.nextInt(5) + "\"} " + random.nextInt(100))
                    .toList());
            if (random.nextBoolean()) {
                Collections.sort(lines);
            }
            String text = String.join("\n", lines) + "\n";
            ReadPage fresh = new ReadPage().read(text);
            this.page.read(text);
            assertThat(this.page.samples()).isEqualTo(fresh.samples());
            assertThat(this.page.rejections()).isEqualTo(fresh.rejections());
        }
    }

    @Test
    void aNameThatBeginsLikeTheOneBeforeIsAnotherOne() {
        page.read("up 1\nupper 2\n");
        page.read("upper 3\nup 4\n");
        assertThat(page.value("upper")).isEqualTo(3);
        assertThat(page.value("up")).isEqualTo(4);
    }

    @Test
    void seriesBeyondTheLimitAreCountedAndThoseOfOldPagesMakeRoom() {
        ReadPage limited = new ReadPage(100);
        limited.read(series(0, 150));
        assertThat(limited.samples()).hasSize(100);
        assertThat(limited.rejections()).hasSize(50).containsOnly(Rejection.TOO_MANY_SERIES);
        for (int i = 1; i <= 20; i++) {
            limited.read(series(1_000 * i, 60));
            assertThat(limited.remembered()).isLessThanOrEqualTo(100);
        }
        assertThat(limited.samples()).hasSize(60);
        assertThat(limited.rejections()).isEmpty();
    }

    @Test
    void noMutationOfAPageMakesItThrowOrRememberMoreThanTheLimitSeed13() throws IncompletePageException {
        byte[] whole = """
                # HELP m help
                # TYPE m counter
                m{a="x\\\\y",b="z"} 1.5e3 1700000000000
                h_bucket{le="0.1"} 3 # {id="1"} 0.05 1.5
                h_bucket{le="+Inf"} 4
                h_sum 1.25
                h_count 4
                {"a.b","c.d"="ü"} NaN
                """.getBytes(StandardCharsets.UTF_8);
        byte[] alphabet = "\n\r\t \\\"{}=,#+-.eEnaInf0123456789abc\0\u0080é".getBytes(StandardCharsets.UTF_8);
        Random random = new Random(13);
        ReadPage limited = new ReadPage(50);
        Set<Rejection> seen = new HashSet<>();
        int taken = 0;
        for (int round = 0; round < 50_000; round++) {
            byte[] mutant = whole.clone();
            for (int i = random.nextInt(8); i >= 0; i--) {
                mutant[random.nextInt(mutant.length)] = alphabet[random.nextInt(alphabet.length)];
            }
            limited.read(mutant, false);
            taken += limited.samples().size();
            seen.addAll(limited.rejections());
            assertThat(limited.remembered()).isLessThanOrEqualTo(50);
        }
        assertThat(taken).isGreaterThan(100_000);
        assertThat(seen)
                .contains(
                        Rejection.MALFORMED_NAME,
                        Rejection.MALFORMED_LABELS,
                        Rejection.NO_VALUE,
                        Rejection.NOT_A_NUMBER,
                        Rejection.MALFORMED_END);
    }

    @Test
    void labelsAreTextsInTheirOwnRight() {
        page.read("m{ a = \"1\" , b=\"\" } 2\n");
        assertThat(page.samples().get(0).labels()).isEqualTo(Map.of("a", "1", "b", ""));
    }

    private static String series(int first, int count) {
        StringBuilder page = new StringBuilder();
        for (int i = first; i < first + count; i++) {
            page.append("m{i=\"").append(i).append("\"} ").append(i).append('\n');
        }
        return page.toString();
    }
}
