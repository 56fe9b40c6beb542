package io.inferwatch.schemas.settings;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One section of a YAML file, read strictly. A reader asks for the keys that it knows; problems are collected, not thrown, and
 * {@link #check()} at the root reports all of them together, keys that nobody asked for included, with the nearest known key. Until
 * then a faulty value reads as its default. What was asked for is remembered: {@link #keys()} is the reader's own account of its file.
 */
public final class Settings {
    /** Stands in {@link #keys()} for a key that is a name of the user's. */
    public static final String NAME = "NAME";

    private static final YAMLMapper YAML = YAMLMapper.builder(YAMLFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .enable(YAMLParser.Feature.EMPTY_STRING_AS_NULL)
                    .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final String A_LIST = "a list";
    private static final String TRUE_OR_FALSE = "true or false";
    private static final Pattern DURATION = Pattern.compile("(\\d+)(us|ms|s|m|h|d)");

    private final Source source;
    private final String path;
    /** The path with {@link #NAME} for names. */
    private final String kind;

    private final JsonNode node;
    private final Set<String> known = new LinkedHashSet<>();
    private final Map<String, Settings> sections = new LinkedHashMap<>();
    private final Map<String, List<Settings>> items = new LinkedHashMap<>();
    private boolean isNamed;

    /**
     * A key that a reader asked for.
     *
     * @param path from the root, {@link #NAME} for names of the user's
     * @param mustBe what its value must be; empty where it was asked only whether it is there
     * @param whenAbsent what holds without it, as it would be written; empty for nothing
     * @param isRequired whether it must be there
     */
    public record Key(String path, String mustBe, String whenAbsent, boolean isRequired) {}

    /**
     * What is read, and what was found and asked; guarded are the keys of which it was asked whether they are there. Lines are known of the documents of
     * a stream.
     */
    private record Source(
            String name,
            Optional<DocumentLines> lines,
            List<String> problems,
            List<Settings> sections,
            Map<String, Key> keys,
            Set<String> guarded) {
        Source(String name, Optional<DocumentLines> lines) {
            this(name, lines, new ArrayList<>(), new ArrayList<>(), new LinkedHashMap<>(), new LinkedHashSet<>());
        }

        String where(String path) {
            return lines.map(known -> known.where(path)).orElse("") + path;
        }
    }

    private Settings(Source source, String path, String kind, JsonNode node) {
        this.source = source;
        this.path = path;
        this.kind = kind;
        this.node = node;
        source.sections.add(this);
    }

    /**
     * The root section of a file.
     *
     * @throws InvalidSettingsException when the file cannot be read or is no YAML mapping
     */
    public static Settings read(Path file) {
        try {
            return parse(file.toString(), Files.readString(file));
        } catch (IOException e) {
            throw new InvalidSettingsException(
                    file.toString(),
                    List.of("must be a readable file, found " + e.getClass().getSimpleName()));
        }
    }

    /**
     * The root section of a text; the name stands for it in messages.
     *
     * @throws InvalidSettingsException when it is no YAML mapping
     */
    public static Settings parse(String name, String text) {
        Source source = new Source(name, Optional.empty());
        try {
            JsonNode root = YAML.readTree(text);
            if (root == null || root.isMissingNode() || root.isNull()) {
                root = JsonNodeFactory.instance.objectNode();
            }
            if (!root.isObject()) {
                throw new InvalidSettingsException(name, List.of("must be a mapping of keys, found " + describe(root)));
            }
            return new Settings(source, "", "", root);
        } catch (JsonProcessingException e) {
            throw noYaml(name, e);
        }
    }

    private static InvalidSettingsException noYaml(String name, JsonProcessingException e) {
        String where = e.getLocation() == null ? "" : "line " + e.getLocation().getLineNr() + ": ";
        // The parser's indented lines repeat the source.
        String what = e.getOriginalMessage()
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith(" "))
                .collect(Collectors.joining(", "));
        return new InvalidSettingsException(name, List.of(where + "must be YAML, found: " + what));
    }

    /**
     * The root sections of a text's documents, the empty ones left out; problems then have the document and the line before the key. Report them all with
     * {@link #check(List)}.
     *
     * @throws InvalidSettingsException when it is no YAML
     */
    public static List<Settings> documents(String name, String text) {
        try (MappingIterator<JsonNode> values = YAML.readerFor(JsonNode.class).readValues(text)) {
            List<DocumentLines> lines = DocumentLines.of(text);
            List<Settings> documents = new ArrayList<>();
            for (DocumentLines document : lines) {
                JsonNode root = values.next();
                Source source = new Source(name, Optional.of(document));
                if (root.isNull()) {
                    continue;
                }
                documents.add(
                        new Settings(source, "", "", root.isObject() ? root : JsonNodeFactory.instance.objectNode()));
                if (!root.isObject()) {
                    source.problems.add(document.where("") + "must be a mapping of keys, found " + describe(root));
                }
            }
            return documents;
        } catch (JsonProcessingException e) {
            throw noYaml(name, e);
        } catch (IOException e) {
            throw new UncheckedIOException("a text can be read", e);
        }
    }

    /** The section under a key; empty when the key is absent. */
    public Settings section(String key) {
        Settings section = sections.get(key);
        if (section == null) {
            section = readSection(key);
            sections.put(key, section);
        }
        return section;
    }

    /** The sections under the keys of this one, in the file's order: for mappings whose keys are names. */
    public Map<String, Settings> sections() {
        isNamed = true;
        Map<String, Settings> named = new LinkedHashMap<>();
        node.fieldNames().forEachRemaining(name -> named.put(name, section(name)));
        return named;
    }

    /** The sections in a list; empty when the key is absent. */
    public List<Settings> items(String key) {
        List<Settings> list = items.get(key);
        if (list == null) {
            list = readItems(key);
            items.put(key, list);
        }
        return list;
    }

    private List<Settings> readItems(String key) {
        asked(key, A_LIST, "");
        JsonNode child = child(key);
        if (child == null) {
            return List.of();
        }
        if (!child.isArray()) {
            problem(key, A_LIST, describe(child));
            return List.of();
        }
        List<Settings> list = new ArrayList<>();
        for (int i = 0; i < child.size(); i++) {
            String item = key + "[" + i + "]";
            if (child.get(i).isObject()) {
                list.add(new Settings(source, path(item), kind(key), child.get(i)));
            } else {
                problem(item, "a mapping of keys", describe(child.get(i)));
            }
        }
        return list;
    }

    /** The texts under the keys of this section, in the file's order: for mappings whose keys are names. */
    public Map<String, String> texts() {
        isNamed = true;
        Map<String, String> named = new LinkedHashMap<>();
        node.fieldNames().forEachRemaining(name -> named.put(name, text(name)));
        return named;
    }

    /** This section alone, as YAML that reads as the same. */
    public String yaml() {
        try {
            return YAML.writeValueAsString(node);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("what was read can be written", e);
        }
    }

    /** Whether the key is there. */
    public boolean has(String key) {
        source.guarded.add(kind(key));
        source.keys.putIfAbsent(kind(key), new Key(kind(key), "", "", false));
        return child(key) != null;
    }

    /** A text, or the default. What YAML reads as a number or as true must stand in quotes: 1.10 is not the version 1.1. */
    public String text(String key, String whenAbsent) {
        asked(key, "a text", whenAbsent);
        return readText(key, whenAbsent);
    }

    private String readText(String key, String whenAbsent) {
        JsonNode child = child(key);
        if (child == null) {
            return whenAbsent;
        }
        if (!child.isTextual() || child.asText().isBlank()) {
            problem(key, child.isNumber() || child.isBoolean() ? "a text in quotes" : "a text", describe(child));
            return whenAbsent;
        }
        return child.asText();
    }

    /** A text that must be there. */
    public String text(String key) {
        required(key, "a text");
        return isSet(key) ? readText(key, "") : "";
    }

    /** A whole number within limits, or the default. */
    public long integer(String key, long min, long max, long whenAbsent) {
        asked(key, wholeNumber(min, max), Long.toString(whenAbsent));
        return readInteger(key, min, max, whenAbsent);
    }

    private long readInteger(String key, long min, long max, long whenAbsent) {
        JsonNode child = child(key);
        if (child == null) {
            return whenAbsent;
        }
        if (!child.isIntegralNumber()
                || !child.canConvertToLong()
                || child.longValue() < min
                || child.longValue() > max) {
            problem(key, wholeNumber(min, max), describe(child));
            return whenAbsent;
        }
        return child.longValue();
    }

    /** A whole number within limits that must be there; until {@link #check()} throws, the lower limit stands for a missing one. */
    public long integer(String key, long min, long max) {
        required(key, wholeNumber(min, max));
        return isSet(key) ? readInteger(key, min, max, min) : min;
    }

    /** A number from one limit on and below another that must be there; null when it is absent or faulty. */
    public @Nullable Double number(String key, double min, double below) {
        String mustBe = "a number from " + write(min) + (below < Double.MAX_VALUE ? " and below " + write(below) : "");
        required(key, mustBe);
        if (!isSet(key)) {
            return null;
        }
        JsonNode child = node.get(key);
        if (!child.isNumber() || !(child.doubleValue() >= min && child.doubleValue() < below)) {
            problem(key, mustBe, describe(child));
            return null;
        }
        return child.doubleValue();
    }

    private static String write(double number) {
        return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
    }

    /** True or false, or the default. */
    public boolean flag(String key, boolean whenAbsent) {
        asked(key, TRUE_OR_FALSE, Boolean.toString(whenAbsent));
        JsonNode child = child(key);
        if (child == null) {
            return whenAbsent;
        }
        if (!child.isBoolean()) {
            problem(key, TRUE_OR_FALSE, describe(child));
            return whenAbsent;
        }
        return child.booleanValue();
    }

    /** A duration such as {@code 250ms}, {@code 10s} or {@code 15m} within limits, or the default. */
    public @Nullable Duration duration(String key, Duration min, Duration max, @Nullable Duration whenAbsent) {
        String mustBe = "a duration between " + write(min) + " and " + write(max) + " such as 10s";
        asked(key, mustBe, whenAbsent == null ? "" : write(whenAbsent));
        JsonNode child = child(key);
        if (child == null) {
            return whenAbsent;
        }
        Duration duration = child.isTextual() ? parseDuration(child.asText()) : null;
        if (duration == null || duration.compareTo(min) < 0 || duration.compareTo(max) > 0) {
            problem(key, mustBe, describe(child));
            return whenAbsent;
        }
        return duration;
    }

    /** One of the constants of an enum, written in lower case with hyphens, or the default. */
    public <E extends Enum<E>> E choice(String key, Class<E> type, E whenAbsent) {
        asked(key, oneOf(type), label(whenAbsent));
        return readChoice(key, type, whenAbsent);
    }

    private <E extends Enum<E>> E readChoice(String key, Class<E> type, E whenAbsent) {
        JsonNode child = child(key);
        if (child == null) {
            return whenAbsent;
        }
        for (E constant : type.getEnumConstants()) {
            if (label(constant).equals(child.asText())) {
                return constant;
            }
        }
        problem(key, oneOf(type), describe(child));
        return whenAbsent;
    }

    /** One of the constants of an enum that must be there; until {@link #check()} throws, the first stands for a missing one. */
    public <E extends Enum<E>> E choice(String key, Class<E> type) {
        required(key, oneOf(type));
        E first = type.getEnumConstants()[0];
        return isSet(key) ? readChoice(key, type, first) : first;
    }

    /** A list whose items the function understands; it throws IllegalArgumentException with the rule at one that it does not. */
    public <T> List<T> list(String key, Function<String, T> item, List<T> whenAbsent) {
        asked(key, A_LIST, whenAbsent.stream().map(String::valueOf).collect(Collectors.joining(", ")));
        return readList(key, item, whenAbsent);
    }

    private <T> List<T> readList(String key, Function<String, T> item, List<T> whenAbsent) {
        JsonNode child = child(key);
        if (child == null) {
            return whenAbsent;
        }
        if (!child.isArray()) {
            problem(key, A_LIST, describe(child));
            return whenAbsent;
        }
        List<T> items = new ArrayList<>();
        for (int i = 0; i < child.size(); i++) {
            if (!child.get(i).isValueNode() || child.get(i).isNull()) {
                problem(key + "[" + i + "]", "a text or a number", describe(child.get(i)));
                continue;
            }
            try {
                items.add(item.apply(child.get(i).asText()));
            } catch (IllegalArgumentException e) {
                problem(key + "[" + i + "]", String.valueOf(e.getMessage()), describe(child.get(i)));
            }
        }
        return items;
    }

    /** A list of names, each one of the known; empty when the key is absent. */
    public List<String> names(String key, String mustBe, Collection<String> knownNames) {
        asked(key, "a list, each " + mustBe, "");
        List<String> names = new ArrayList<>();
        List<String> items = readList(key, Function.identity(), List.of());
        for (int i = 0; i < items.size(); i++) {
            String name = items.get(i);
            if (knownNames.contains(name)) {
                names.add(name);
            } else {
                problem(key + "[" + i + "]", mustBe, "'" + name + "'" + nearest(name, knownNames));
            }
        }
        return names;
    }

    /**
     * What readers asked of the whole file so far, in their order. Sections are told by their keys, those under names once. A key that is read only where it is
     * there is not required.
     */
    public List<Key> keys() {
        Set<String> read = source.sections.stream().map(section -> section.kind).collect(Collectors.toSet());
        return source.keys.values().stream()
                .filter(key -> !key.mustBe.isEmpty() || !read.contains(key.path))
                .toList();
    }

    /** Notes a problem with a key of this section that its reader found. */
    public void problem(String key, String mustBe, String found) {
        source.problems.add(source.where(path(key)) + ": must be " + mustBe + ", found " + found);
    }

    /**
     * Reports all problems of the whole file.
     *
     * @throws InvalidSettingsException when there is any
     */
    public void check() {
        check(List.of(this));
    }

    /**
     * Reports all problems of several documents together.
     *
     * @param roots of the same text
     * @throws InvalidSettingsException when there is any
     */
    public static void check(List<Settings> roots) {
        List<String> problems = new ArrayList<>();
        roots.forEach(root -> problems.addAll(root.problems()));
        if (!problems.isEmpty()) {
            throw new InvalidSettingsException(roots.get(0).source.name, problems);
        }
    }

    private List<String> problems() {
        List<String> problems = new ArrayList<>(source.problems);
        for (Settings section : source.sections) {
            section.node.fieldNames().forEachRemaining(name -> {
                if (!section.known.contains(name)) {
                    problems.add(source.where(section.path(name)) + ": unknown key" + nearest(name, section.known));
                }
            });
        }
        return problems;
    }

    /** The known name nearest to a mistyped one as {@code ", did you mean 'x'?"}, or an empty text when none is near. */
    public static String nearest(String name, Iterable<String> known) {
        String best = null;
        // Less than the whole name may be wrong: else every short name is near to every other.
        int bestDistance = Math.min(name.length(), Math.max(2, name.length() / 3) + 1);
        for (String candidate : known) {
            int distance = editDistance(name, candidate);
            if (distance < bestDistance) {
                best = candidate;
                bestDistance = distance;
            }
        }
        return best == null ? "" : ", did you mean '" + best + "'?";
    }

    /** A duration such as {@code 10s}; null when the text is none. */
    public static @Nullable Duration parseDuration(String text) {
        Matcher matcher = DURATION.matcher(text.trim());
        if (!matcher.matches()) {
            return null;
        }
        try {
            long amount = Long.parseLong(matcher.group(1));
            return switch (matcher.group(2)) {
                case "us" -> Duration.ofNanos(Math.multiplyExact(amount, 1_000L));
                case "ms" -> Duration.ofMillis(amount);
                case "s" -> Duration.ofSeconds(amount);
                case "m" -> Duration.ofMinutes(amount);
                case "h" -> Duration.ofHours(amount);
                default -> Duration.ofDays(amount);
            };
        } catch (ArithmeticException | NumberFormatException e) {
            return null;
        }
    }

    /** A duration as it is written in settings: {@code 250ms}, {@code 10s}, {@code 15m}, {@code 24h}. */
    public static String write(Duration duration) {
        if (duration.toNanos() % 1_000_000 != 0) {
            return duration.toNanos() / 1_000 + "us";
        }
        if (duration.toMillis() % 1_000 != 0) {
            return duration.toMillis() + "ms";
        }
        long seconds = duration.toSeconds();
        if (seconds == 0 || seconds % 60 != 0) {
            return seconds + "s";
        }
        return seconds % 3600 != 0 ? seconds / 60 + "m" : seconds / 3600 + "h";
    }

    private static String wholeNumber(long min, long max) {
        return "a whole number between " + min + " and " + max;
    }

    private static <E extends Enum<E>> String oneOf(Class<E> type) {
        return "one of "
                + Arrays.stream(type.getEnumConstants()).map(Settings::label).collect(Collectors.joining(", "));
    }

    private static String label(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private Settings readSection(String key) {
        JsonNode child = child(key);
        if (child != null && !child.isObject()) {
            problem(key, "a mapping of keys", describe(child));
            child = null;
        }
        return new Settings(
                source, path(key), kind(key), child == null ? JsonNodeFactory.instance.objectNode() : child);
    }

    private void asked(String key, String mustBe, String whenAbsent) {
        Key before = source.keys.get(kind(key));
        if (before == null || !before.isRequired) {
            source.keys.put(kind(key), new Key(kind(key), mustBe, whenAbsent, false));
        }
    }

    private void required(String key, String mustBe) {
        source.keys.put(kind(key), new Key(kind(key), mustBe, "", !source.guarded.contains(kind(key))));
    }

    private boolean isSet(String key) {
        if (child(key) == null) {
            problem(key, "set", "nothing");
            return false;
        }
        return true;
    }

    private @Nullable JsonNode child(String key) {
        known.add(key);
        JsonNode child = node.get(key);
        return child == null || child.isNull() ? null : child;
    }

    private String path(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }

    private String kind(String key) {
        String last = isNamed ? NAME : key;
        return kind.isEmpty() ? last : kind + "." + last;
    }

    private static String describe(JsonNode node) {
        return switch (node.getNodeType()) {
            case OBJECT -> "a mapping";
            case ARRAY -> "a list";
            case STRING -> "'" + node.asText() + "'";
            case NULL -> "nothing";
            default -> node.asText();
        };
    }

    /** Letters to insert, remove, replace or swap with their neighbour. */
    private static int editDistance(String a, String b) {
        int[][] distance = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    distance[i][j] = i + j;
                    continue;
                }
                int replace = distance[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                int least = Math.min(replace, Math.min(distance[i - 1][j], distance[i][j - 1]) + 1);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    least = Math.min(least, distance[i - 2][j - 2] + 1);
                }
                distance[i][j] = least;
            }
        }
        return distance[a.length()][b.length()];
    }
}
