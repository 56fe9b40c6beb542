package io.inferwatch.probes.proxy.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SseParserTest {
    private static final String[] PIECES = {
        "data: a",
        "data:b",
        "data:  c",
        "data",
        "data:",
        "datax: no",
        "dat: no",
        ": comment",
        ":",
        "event: message",
        "id: 7",
        "retry: 10",
        "data: [DONE]",
        "data: \u2028\u2029",
        "data: 那",
        " data: no",
        "d",
        ""
    };
    private static final String[] LINE_ENDS = {"\n", "\r", "\r\n"};

    @Test
    void joinsLinesAndDropsOneSpace() {
        assertThat(events("data: a\ndata:b\ndata:  c\n\n")).containsExactly("a\nb\n c");
    }

    @Test
    void passesOverMarkCommentsAndOtherFields() {
        assertThat(events("\uFEFFdata: a\n: ping\nevent: x\nid: 1\nretry: 5\n\n\n: only a comment\n\ndata: b\n\n"))
                .containsExactly("a", "b");
    }

    @Test
    void aNameAloneIsEmptyData() {
        assertThat(events("data\n\ndata:\n\ndata\ndata\n\n")).containsExactly("", "", "\n");
    }

    @Test
    void doesNotSplitAtUnicodeLineSeparators() {
        assertThat(events("data: a\u2028b\u2029c\u0085d\n\n")).containsExactly("a\u2028b\u2029c\u0085d");
    }

    @Test
    void whatTheEndLeavesOpenCountsAsItStands() {
        assertThat(events("data: a\n\ndata: b\n")).containsExactly("a", "b");
        assertThat(events("data: a\n\ndata: b")).containsExactly("a", "b");
        assertThat(events("data: a\n\n: b")).containsExactly("a");
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void anySplitGivesWhatTheGrammarGives(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 250; round++) {
            StringBuilder stream = new StringBuilder(random.nextInt(4) == 0 ? "\uFEFF" : "");
            int lines = random.nextInt(12);
            for (int i = 0; i < lines; i++) {
                stream.append(PIECES[random.nextInt(PIECES.length)])
                        .append(LINE_ENDS[random.nextInt(LINE_ENDS.length)]);
            }
            String text = stream.toString();
            List<String> expected = byTheGrammar(text);
            assertThat(events(text)).as(text).isEqualTo(expected);
            assertThat(events(text, new SplittableRandom(seed + round)))
                    .as(text)
                    .isEqualTo(expected);
        }
    }

    /** The grammar on the whole text, line by line. */
    private static List<String> byTheGrammar(String text) {
        List<String> events = new ArrayList<>();
        List<String> data = new ArrayList<>();
        String unmarked = text.startsWith("\uFEFF") ? text.substring(1) : text;
        for (String line : unmarked.split("\r\n|\r|\n", -1)) {
            if (line.isEmpty()) {
                if (!data.isEmpty()) {
                    events.add(String.join("\n", data));
                }
                data.clear();
            } else {
                int colon = line.indexOf(':');
                String name = colon < 0 ? line : line.substring(0, colon);
                String value = colon < 0 ? "" : line.substring(colon + 1);
                if (name.equals("data")) {
                    data.add(value.startsWith(" ") ? value.substring(1) : value);
                }
            }
        }
        return events;
    }

    private static List<String> events(String text) {
        return events(text, null);
    }

    private static List<String> events(String text, SplittableRandom cuts) {
        List<String> events = new ArrayList<>();
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        SseParser parser = new SseParser(new SseParser.Listener() {
            @Override
            public void data(byte[] bytes, int offset, int length) {
                data.write(bytes, offset, length);
            }

            @Override
            public void event() {
                events.add(data.toString(StandardCharsets.UTF_8));
                data.reset();
            }
        });
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int at = 0;
        while (at < bytes.length) {
            int length = cuts == null ? bytes.length : Math.min(bytes.length - at, 1 + cuts.nextInt(3));
            parser.parse(bytes, at, length);
            at += length;
        }
        parser.end();
        return events;
    }
}
