package io.inferwatch.probes.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferwatch.analytics.schedule.Gaps;
import io.inferwatch.analytics.schedule.SkewedLengths;
import io.inferwatch.probes.corpus.Prompt;
import io.inferwatch.probes.load.PlannedRequest.FollowUp;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkloadsTest {
    private static final RequestMaker MAKER = new RequestMaker(new Lengths.Fixed(32), new Lengths.Fixed(8), 1, 0, 1);
    /** Kolmogorov's 99.9 % point for sqrt(n) D. */
    private static final double KOLMOGOROV = 1.95;

    @Test
    void aWordIsThreeLettersAndASpaceAndNoOtherOccursTwice() {
        byte[] text = new byte[4 * 50_000];
        assertThat(new Words(1, 50_000).write(text, 0)).isEqualTo(text.length);
        String[] words = new String(text, StandardCharsets.US_ASCII).split(" ");
        assertThat(words).hasSize(50_000).allMatch(word -> word.matches("[a-z]{3}"));
        assertThat(new HashSet<>(Arrays.asList(words))).hasSize(64);
    }

    @Test
    void theShorterTextOfASeedIsAPrefixOfTheLonger() {
        assertThat(text(new Words(9, 700))).startsWith(text(new Words(9, 123)));
        assertThat(text(new Words(8, 20))).isNotEqualTo(text(new Words(9, 20)));
    }

    @Test
    void gapsOfAPoissonLoadAreExponentialSeed11() {
        RateWorkload load = rate(List.of(step(new Gaps.Exponential(0.01), Long.MAX_VALUE)), 1, 20_000, 11);
        double[] gaps = gapsSeconds(load);
        assertThat(distance(gaps, x -> 1 - Math.exp(-x / 0.01)) * Math.sqrt(gaps.length))
                .isLessThan(KOLMOGOROV);
    }

    @Test
    void aStepEndsWhenItsTimeIsOver() {
        RateWorkload load = rate(
                List.of(
                        step(new Gaps.Constant(0.1), seconds(1)),
                        new RateWorkload.Step(Optional.empty(), seconds(1)),
                        step(new Gaps.Constant(0.01), seconds(2))),
                1,
                Long.MAX_VALUE,
                1);
        Map<Integer, List<Long>> times = new HashMap<>();
        for (PlannedRequest next = load.next(); next != null; next = load.next()) {
            times.computeIfAbsent(next.step(), step -> new ArrayList<>()).add(next.afterNanos());
        }
        assertThat(times.keySet()).containsExactlyInAnyOrder(0, 2);
        // The tenth would come at the very end of the step, which belongs to the next.
        assertThat(times.get(0)).hasSize(9).first().isEqualTo(100_000_000L);
        assertThat(times.get(2)).hasSize(199).first().isEqualTo(2_010_000_000L);
        assertThat(times.get(2)).last().isEqualTo(3_990_000_000L);
        assertThat(load.next()).isNull();
    }

    @Test
    void aBurstComesAtOnce() {
        RateWorkload load = rate(List.of(step(new Gaps.Constant(0.5), Long.MAX_VALUE)), 5, 12, 1);
        List<Long> times = new ArrayList<>();
        for (PlannedRequest next = load.next(); next != null; next = load.next()) {
            times.add(next.afterNanos());
        }
        assertThat(times).hasSize(12);
        assertThat(times.subList(0, 5)).containsOnly(500_000_000L);
        assertThat(times.subList(5, 10)).containsOnly(1_000_000_000L);
    }

    @Test
    void aRequestDependsOnSeedAndNumberAlone() {
        RequestMaker lengths = new RequestMaker(
                Lengths.parse("lognormal:5,0.9,16,1229"), Lengths.parse("lognormal:4,0.5,1,500"), 1, 0, 42);
        assertThat(lengths.make(17, 5L, 0).messages())
                .isEqualTo(lengths.make(17, null, 3).messages());
        assertThat(lengths.make(17, null, 0).messages())
                .isNotEqualTo(lengths.make(18, null, 0).messages());
    }

    @Test
    void aTurnRepeatsTheFormerOnesAndTheirAnswers() {
        RequestMaker maker = new RequestMaker(new Lengths.Fixed(10), new Lengths.Fixed(4), 3, 1.5, 1);
        PlannedRequest first = maker.make(2, 7L, 0);
        List<PlannedRequest> turns = new ArrayList<>(List.of(first));
        for (FollowUp next = first.followUp();
                next != null;
                next = next.request().followUp()) {
            assertThat(next.thinkNanos()).isPositive();
            turns.add(next.request());
        }
        assertThat(turns).extracting(PlannedRequest::number).containsExactly(6L, 7L, 8L);
        assertThat(turns).extracting(PlannedRequest::turn).containsExactly(1, 2, 3);
        assertThat(turns).extracting(PlannedRequest::session).containsOnly("2");
        assertThat(turns).extracting(PlannedRequest::promptTokens).containsExactly(10, 24, 38);
        assertThat(turns.get(2).messages().subList(0, 3)).isEqualTo(turns.get(1).messages());
        assertThat(turns.get(2).messages())
                .extracting(Message::role)
                .containsExactly(
                        Message.Role.USER,
                        Message.Role.ASSISTANT,
                        Message.Role.USER,
                        Message.Role.ASSISTANT,
                        Message.Role.USER);
    }

    /** Mean of the exponential is the mean of the pauses. */
    @Test
    void peopleThinkForAsLongAsTheyShouldOnAverageSeed1() {
        RequestMaker maker = new RequestMaker(new Lengths.Fixed(1), new Lengths.Fixed(1), 2, 3, 1);
        double sum = 0;
        int n = 20_000;
        for (int i = 0; i < n; i++) {
            FollowUp followUp = maker.make(i, null, 0).followUp();
            sum += followUp == null ? 0 : followUp.thinkNanos() / 1e9;
        }
        assertThat(sum / n).isCloseTo(3, within(0.1));
    }

    @Test
    void bodiesAreJsonOfThePlannedLength() throws IOException {
        PlannedRequest request = new RequestMaker(new Lengths.Fixed(10), new Lengths.Fixed(4), 2, 0, 1)
                .make(0, null, 0)
                .followUp()
                .request();
        ObjectMapper json = new ObjectMapper();
        Target chat =
                new Target(List.of(URI.create("http://localhost")), Api.CHAT, "/", Optional.of("a\"b"), Map.of(), null);
        JsonNode body = json.readTree(new RequestBodies(chat).of(request));
        assertThat(body.path("model").asText()).isEqualTo("a\"b");
        assertThat(body.path("messages")).hasSize(3);
        assertThat(body.at("/messages/1/role").asText()).isEqualTo("assistant");
        assertThat(body.at("/messages/2/content").asText()).hasSize(40);
        assertThat(body.path("max_tokens").asInt()).isEqualTo(4);
        assertThat(body.at("/stream_options/include_usage").asBoolean()).isTrue();
        Target plain = Target.of(URI.create("http://localhost"), Api.COMPLETIONS);
        JsonNode completion = json.readTree(new RequestBodies(plain).of(request));
        assertThat(completion.has("model")).isFalse();
        assertThat(completion.path("prompt").asText()).hasSize(4 * 24);
    }

    /** Three prompts, seven requests: each comes twice before one comes a third time, in an order of the seed, as it stands but for what JSON wants. */
    @Test
    void theCorpusIsSentAsItStandsAndAllOfItBeforeAnyAgain() throws IOException {
        CorpusPrompts corpus = CorpusPrompts.of(List.of(
                new Prompt("Grüße aus \"Köln\"\n\ud83d\ude00", 9), new Prompt("two", 1), new Prompt("three", 1)));
        ObjectMapper json = new ObjectMapper();
        RequestBodies bodies = new RequestBodies(Target.of(URI.create("http://localhost"), Api.CHAT));
        List<String> sent = new ArrayList<>();
        RequestMaker maker = new RequestMaker(corpus.shuffled(5), new Lengths.Fixed(4), 1, 0, 5);
        for (int i = 0; i < 7; i++) {
            PlannedRequest request = maker.make(i, null, 0);
            sent.add(json.readTree(bodies.of(request)).at("/messages/0/content").asText());
            if (sent.get(i).startsWith("Gr")) {
                assertThat(request.promptTokens()).isEqualTo(9);
                assertThat(request.promptCharacters()).isEqualTo(18);
            }
        }
        assertThat(sent.subList(0, 3))
                .containsExactlyInAnyOrder("Grüße aus \"Köln\"\n\ud83d\ude00", "two", "three")
                .isEqualTo(sent.subList(3, 6));
        assertThat(sent.get(6)).isEqualTo(sent.get(0));
    }

    @Test
    void skewedLengthsFollowTheSine() {
        // sin 1 = 0.8415, sin 4 = -0.7568, by a table.
        Lengths skewed = new Lengths.Skewed(new SkewedLengths(1_000, 0.5));
        assertThat(skewed.length(1, new SplittableRandom(1))).isEqualTo(1_421);
        assertThat(skewed.length(4, new SplittableRandom(1))).isEqualTo(622);
    }

    @Test
    void aHistogramIsSampledAsItIsCountedSeed2(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("lengths.csv"), "tokens,count\n10,1\n20,0\n30,3\n");
        Lengths lengths = Lengths.parse("histogram:" + file);
        SplittableRandom random = new SplittableRandom(2);
        Map<Integer, Integer> seen = new HashMap<>();
        for (int i = 0; i < 10_000; i++) {
            seen.merge(lengths.length(i, random), 1, Integer::sum);
        }
        assertThat(seen.keySet()).isEqualTo(Set.of(10, 30));
        assertThat(seen.get(10) / 10_000.0).isCloseTo(0.25, within(0.02));
    }

    @Test
    void lengthsThatAreNoneAreRefusedWithTheirRule(@TempDir Path directory) throws IOException {
        for (String text : List.of("512", "fixed:0", "fixed:x", "lognormal:6.8,0.9,16", "poisson:3")) {
            assertThatThrownBy(() -> Lengths.parse(text))
                    .hasMessage(
                            "must be fixed:TOKENS, lognormal:MU,SIGMA,MIN,MAX or histogram:FILE, found '" + text + "'");
        }
        Path file = Files.writeString(directory.resolve("bad.csv"), "10,1\n10,2\n");
        assertThatThrownBy(() -> Lengths.parse("histogram:" + file))
                .hasMessageEndingWith(
                        "bad.csv, line 2: must be TOKENS,COUNT with more tokens than the line before, found '10,2'");
    }

    @Test
    void ratesOfServeGenBecomeStepsOfTheirFamilies(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("rates.csv"), """
                0,1.1666666666666667,0.9812997595412902,Gamma,1.0384763614345214,0.8245559198741792
                600,0,0,,0,0
                1200,0.64,1.0495706477216191,Weibull,1.0269980493187594,1.7057127973248827
                """);
        List<RateWorkload.Step> steps = RateFile.read(file, 10);
        assertThat(steps).hasSize(3).allMatch(step -> step.lengthNanos() == seconds(60));
        // The file's own rate, ten times as fast: 11.67 a second; its fit is within 0.2 % of that.
        assertThat(1 / steps.get(0).gaps().orElseThrow().mean()).isCloseTo(11.667, within(0.1));
        assertThat(steps.get(1).gaps()).isEmpty();
        assertThat(steps.get(2).gaps()).containsInstanceOf(Gaps.Weibull.class);
        Path bad = Files.writeString(directory.resolve("bad.csv"), "0,1,1,Pareto,1,1\n");
        assertThatThrownBy(() -> RateFile.read(bad, 1))
                .hasMessageEndingWith(
                        "line 1: must be BEGIN,RATE,VARIATION,Gamma|Weibull|,SHAPE,SCALE, found '0,1,1,Pareto,1,1'");
    }

    @Test
    void stagesAreReadAndWhatIsNoneIsRefused() {
        Stages stages = new Stages.Converter().convert("300:5m,800:90s");
        assertThat(stages.all())
                .containsExactly(
                        new Stages.Stage(300, Duration.ofMinutes(5)), new Stages.Stage(800, Duration.ofSeconds(90)));
        assertThatThrownBy(() -> new Stages.Converter().convert("300"))
                .hasMessage("must be steps of RATE:DURATION such as 300:5m,800:5m, found '300'");
    }

    private static RateWorkload rate(List<RateWorkload.Step> steps, int burst, long limit, long seed) {
        return new RateWorkload(steps, burst, MAKER, limit, seed);
    }

    private static RateWorkload.Step step(Gaps gaps, long nanos) {
        return new RateWorkload.Step(Optional.of(gaps), nanos);
    }

    private static long seconds(long seconds) {
        return Duration.ofSeconds(seconds).toNanos();
    }

    private static String text(Words words) {
        byte[] text = new byte[words.length()];
        int end = words.write(text, 0);
        return new String(text, 0, end, StandardCharsets.US_ASCII);
    }

    private static double[] gapsSeconds(Workload load) {
        List<Double> gaps = new ArrayList<>();
        long before = 0;
        for (PlannedRequest next = load.next(); next != null; next = load.next()) {
            gaps.add((next.afterNanos() - before) / 1e9);
            before = next.afterNanos();
        }
        return gaps.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /** Kolmogorov's distance of a sample from a distribution. */
    static double distance(double[] sample, DoubleUnaryOperator distribution) {
        double[] sorted = sample.clone();
        Arrays.sort(sorted);
        double distance = 0;
        for (int i = 0; i < sorted.length; i++) {
            double expected = distribution.applyAsDouble(sorted[i]);
            distance = Math.max(distance, expected - i / (double) sorted.length);
            distance = Math.max(distance, (i + 1) / (double) sorted.length - expected);
        }
        return distance;
    }
}
