package io.inferwatch.probes.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.probes.corpus.Cleaner.Cleaned;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CleanerTest {
    private static final List<String> REGIONS = List.of("US", "GB", "DE", "FR", "ES", "IT");
    private static final Cleaner CLEANER = new Cleaner(REGIONS);
    private static final int TEXTS = 200;

    /** Places that were put there and are found whole, places found at all, and those of them where something had been put. */
    private static final class Score {
        private int placed;
        private int recalled;
        private int found;
        private int right;

        double recall() {
            return recalled / (double) placed;
        }

        double precision() {
            return right / (double) found;
        }
    }

    @ParameterizedTest(name = "{0}, seed 7")
    @CsvSource({"en", "de", "fr", "es", "it", "pt", "nl"})
    void whatWasPutIntoTextsIsFoundAndLittleElse(String language) {
        Map<PersonalData, Score> scores = new EnumMap<>(PersonalData.class);
        List<String> missed = new ArrayList<>();
        List<String> mistaken = new ArrayList<>();
        GeneratedTexts texts = new GeneratedTexts(GeneratedTexts.LANGUAGES.get(language), 7);
        for (int i = 0; i < TEXTS; i++) {
            GeneratedTexts.Text text = texts.next();
            List<Span> found = CLEANER.spans(text.text());
            for (Span placed : text.data()) {
                Score score = scores.computeIfAbsent(placed.kind(), kind -> new Score());
                score.placed++;
                boolean isFound = found.stream()
                        .anyMatch(span -> span.kind() == placed.kind()
                                && span.start() <= placed.start()
                                && span.end() >= placed.end());
                score.recalled += isFound ? 1 : 0;
                if (!isFound) {
                    missed.add(text.text().substring(placed.start(), placed.end()));
                }
            }
            for (Span span : found) {
                Score score = scores.computeIfAbsent(span.kind(), kind -> new Score());
                score.found++;
                boolean isRight =
                        text.data().stream().anyMatch(placed -> span.kind() == placed.kind() && span.overlaps(placed));
                score.right += isRight ? 1 : 0;
                if (!isRight) {
                    mistaken.add(text.text().substring(span.start(), span.end()));
                }
            }
        }
        assertThat(scores).containsOnlyKeys(PersonalData.values());
        scores.forEach((kind, score) -> {
            double least = kind == PersonalData.NAME ? 0.95 : 0.99;
            String what = "%s of %d in %s, missed %s, mistaken %s"
                    .formatted(
                            kind,
                            score.placed,
                            language,
                            missed.stream().distinct().toList(),
                            mistaken.stream().distinct().toList());
            assertThat(score.placed).as(what).isGreaterThan(30);
            assertThat(score.recall()).as("recall: %s", what).isGreaterThanOrEqualTo(least);
            assertThat(score.precision()).as("precision: %s", what).isGreaterThanOrEqualTo(least);
        });
    }

    @Test
    void aCleanedTextHasNothingMoreToFind() {
        GeneratedTexts.LANGUAGES.values().forEach(language -> {
            GeneratedTexts texts = new GeneratedTexts(language, 11);
            for (int i = 0; i < 100; i++) {
                String cleaned = CLEANER.clean(texts.next().text()).text();
                assertThat(CLEANER.spans(cleaned)).as(cleaned).isEmpty();
            }
        });
    }

    @Test
    void everyPlaceIsCountedAndSaysWhatWasThere() {
        Cleaned cleaned = CLEANER.clean(
                "Dear Sarah, mail sarah@example.com or call +1 415-555-2671 from 10.0.0.7, card 4111 1111 1111 1111.");
        assertThat(cleaned.text()).isEqualTo("Dear [NAME], mail [MAIL] or call [PHONE] from [IP], card [CARD].");
        assertThat(cleaned.removed())
                .containsOnly(
                        Map.entry(PersonalData.NAME, 1),
                        Map.entry(PersonalData.MAIL, 1),
                        Map.entry(PersonalData.PHONE, 1),
                        Map.entry(PersonalData.IP, 1),
                        Map.entry(PersonalData.CARD, 1));
    }

    /** Published test numbers of card networks; the same with a wrong last digit. */
    @Test
    void cardsAreKnownByTheirChecksum() {
        for (String card : List.of(
                "4111111111111111", "5555555555554444", "378282246310005", "6011111111111117", "3530111333300000")) {
            assertThat(PatternFinder.isCard(card)).as(card).isTrue();
            char last = card.charAt(card.length() - 1);
            assertThat(PatternFinder.isCard(
                            card.substring(0, card.length() - 1) + (char) (last == '9' ? '0' : last + 1)))
                    .as("not %s", card)
                    .isFalse();
        }
        assertThat(PatternFinder.isCard("0000000000000000")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "password: hunter2secret!|password: [KEY]",
                "Authorization: Bearer abcdefghijklmnop1234|Authorization: Bearer [KEY]",
                "{\"api_key\": \"0123abcd\"}|{\"api_key\": \"[KEY]\"}",
                "AKIAIOSFODNN7EXAMPLE is old|[KEY] is old",
                "md5 d41d8cd98f00b204e9800998ecf8427e here|md5 [KEY] here",
                "the id 123e4567-e89b-12d3-a456-426614174000 stays|the id 123e4567-e89b-12d3-a456-426614174000 stays",
                "at 12:30:45 on 2024-05-17|at 12:30:45 on 2024-05-17",
                "std::vector<int> and a::b::c|std::vector<int> and a::b::c",
                "release 10.2.300.4 of 2024|release 10.2.300.4 of 2024",
                "see src/main/java/io/inferwatch/analytics/QuantileSketch2.java|see src/main/java/io/inferwatch/analytics/QuantileSketch2.java"
            })
    void keysAndWhatOnlyLooksLikeThem(String text, String cleaned) {
        assertThat(CLEANER.clean(text).text()).isEqualTo(cleaned);
    }

    @Test
    void aPrivateKeyGoesWholeAlsoWhereItsEndIsMissing() {
        String key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE KEY-----";
        assertThat(CLEANER.clean("Is this safe?\n" + key + "\nSure?").text()).isEqualTo("Is this safe?\n[KEY]\nSure?");
        assertThat(CLEANER.clean("-----BEGIN PRIVATE KEY-----\nMIIEow").text()).isEqualTo("[KEY]");
    }
}
