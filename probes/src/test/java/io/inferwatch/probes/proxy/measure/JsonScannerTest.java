package io.inferwatch.probes.proxy.measure;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonScannerTest {
    private static final ObjectMapper JACKSON = new ObjectMapper();
    private static final JsonShape SHAPE = JsonShape.of(Map.of(
            "a", Fact.TEXT,
            "a.b", Fact.MODEL,
            "list[]", Fact.CHOICE,
            "list[].a.text", Fact.REASONING,
            "n", Fact.OUTPUT_TOKENS,
            "list[].n", Fact.PROMPT_TOKENS));
    private static final String[] NAMES = {"a", "b", "list", "text", "n", "other", "na", "\"q\\", "a\nb"};
    private static final String[] TEXTS = {
        "", "x", "a \"quoted\" \\ word", "那\u00e9", "\uD83D\uDE00", "\n\t\u0001", "y".repeat(300)
    };

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void anySplitTellsWhatATreeOfTheDocumentHolds(long seed) throws JsonProcessingException {
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 150; round++) {
            JsonNode document = object(random, 0);
            String text = random.nextBoolean()
                    ? document.toString()
                    : JACKSON.writerWithDefaultPrettyPrinter().writeValueAsString(document);
            List<String> expected = new ArrayList<>();
            walk(document, SHAPE.root(), expected);
            List<String> told = new ArrayList<>();
            JsonScanner scanner = new JsonScanner(SHAPE, recorder(told));
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            for (int at = 0; at < bytes.length; ) {
                int length = Math.min(bytes.length - at, 1 + random.nextInt(7));
                scanner.scan(bytes, at, length);
                at += length;
            }
            assertThat(scanner.isComplete()).as(text).isTrue();
            assertThat(told).as(text).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "{\"a\"", "{\"a\":", "{\"a\":\"x", "{\"a\":[1,2", "", "  ", "{\"a\":\"\\u00"})
    void whatBreaksOffIsNotComplete(String text) {
        JsonScanner scanner = scanned(text);
        assertThat(scanner.isComplete()).isFalse();
        assertThat(scanner.isFailed()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[DONE]",
                "{\"a\" 1}",
                "{1:2}",
                "{\"a\":1}}",
                "{\"a\":tru}",
                "{\"a\":1 2}",
                "{]",
                "{\"a\":\"\\x\"}",
                "{\"a\":\"\\u00zz\"}",
                "nope,"
            })
    void whatIsNoJsonFails(String text) {
        assertThat(scanned(text).isFailed()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"1", "-1.5e3", "\"x\"", "null", "true", "[]", "{}", "{\"p\":NaN,\"q\":-Infinity}", " {} \n"})
    void anyValueMayStandAtTheTop(String text) {
        assertThat(scanned(text).isComplete()).isTrue();
    }

    @Test
    void countsAreWholeNumbersOnly() {
        List<String> told = new ArrayList<>();
        JsonScanner scanner = new JsonScanner(SHAPE, recorder(told));
        for (String number : List.of("7", "0", "999999999999999999", "-3", "1.0", "1e3", "9999999999999999999999")) {
            byte[] bytes = ("{\"n\":" + number + "}").getBytes(StandardCharsets.UTF_8);
            scanner.scan(bytes, 0, bytes.length);
            scanner.reset();
        }
        assertThat(told).containsExactly("OUTPUT_TOKENS=7", "OUTPUT_TOKENS=0", "OUTPUT_TOKENS=999999999999999999");
    }

    @Test
    void givesUpOnEndlessNesting() {
        assertThat(scanned("[".repeat(JsonScanner.MAX_DEPTH)).isFailed()).isFalse();
        assertThat(scanned("[".repeat(JsonScanner.MAX_DEPTH + 1)).isFailed()).isTrue();
    }

    private static JsonScanner scanned(String text) {
        JsonScanner scanner = new JsonScanner(SHAPE, recorder(new ArrayList<>()));
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        scanner.scan(bytes, 0, bytes.length);
        scanner.end();
        return scanner;
    }

    private static JsonNode object(SplittableRandom random, int depth) {
        ObjectNode node = JACKSON.createObjectNode();
        int members = random.nextInt(5);
        for (int i = 0; i < members; i++) {
            node.set(NAMES[random.nextInt(NAMES.length)], value(random, depth + 1));
        }
        return node;
    }

    private static JsonNode value(SplittableRandom random, int depth) {
        JsonNodeFactory nodes = JACKSON.getNodeFactory();
        return switch (random.nextInt(depth > 5 ? 4 : 7)) {
            case 0 -> nodes.textNode(TEXTS[random.nextInt(TEXTS.length)]);
            case 1 -> nodes.numberNode(random.nextInt(1000));
            case 2 -> nodes.booleanNode(random.nextBoolean());
            case 3 -> nodes.nullNode();
            case 4 -> object(random, depth);
            default -> {
                ArrayNode array = JACKSON.createArrayNode();
                int elements = random.nextInt(4);
                for (int i = 0; i < elements; i++) {
                    array.add(value(random, depth + 1));
                }
                yield array;
            }
        };
    }

    /** The facts of a document by way of its tree. */
    private static void walk(JsonNode node, JsonShape.Place place, List<String> facts) {
        if (place == null) {
            return;
        }
        Fact fact = place.fact();
        if (node.isContainerNode() && fact != null) {
            facts.add("<" + fact);
        }
        if (node.isObject()) {
            node.properties().forEach(field -> {
                byte[] name = field.getKey().getBytes(StandardCharsets.UTF_8);
                walk(field.getValue(), place.member(name, name.length), facts);
            });
        } else if (node.isArray()) {
            node.forEach(element -> walk(element, place.element(), facts));
        } else if (fact != null && node.isTextual()) {
            // Control characters other than line feed and tab are written as \\u.
            String shown = node.textValue().replace('\n', ' ').replace('\t', ' ');
            facts.add(fact + "='" + (shown.length() > 256 ? shown.substring(0, 256) : shown) + "' "
                    + shown.codePointCount(0, shown.length()));
        } else if (fact != null && (node.isNumber() || node.isBoolean())) {
            facts.add(fact + "=" + node.asText());
        }
        if (node.isContainerNode() && fact != null) {
            facts.add(fact + ">");
        }
    }

    private static JsonScanner.Listener recorder(List<String> told) {
        return new JsonScanner.Listener() {
            @Override
            public void text(Fact fact, byte[] kept, int keptLength, long characters) {
                told.add(fact + "='" + new String(kept, 0, keptLength, StandardCharsets.UTF_8) + "' " + characters);
            }

            @Override
            public void number(Fact fact, long value) {
                told.add(fact + "=" + value);
            }

            @Override
            public void flag(Fact fact, boolean value) {
                told.add(fact + "=" + value);
            }

            @Override
            public void opened(Fact fact) {
                told.add("<" + fact);
            }

            @Override
            public void closed(Fact fact) {
                told.add(fact + ">");
            }
        };
    }
}
