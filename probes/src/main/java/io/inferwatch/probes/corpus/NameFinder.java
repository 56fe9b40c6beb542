package io.inferwatch.probes.corpus;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Finds names of persons in languages that begin names, and few other words, with a capital: after a title, an introduction, a salutation or a farewell whatever they are; elsewhere by lists, a first name alone or with what follows it. A family name without
 * either is not found, nor is a name in a script without capitals.
 */
final class NameFinder implements Finder {
    private static final int MOST_WORDS = 4;
    private static final Pattern WORD = Pattern.compile("\\p{L}[\\p{L}\\p{M}]*+(?:['’-]\\p{L}[\\p{L}\\p{M}]*+)*+");

    private final NameLists names;
    private final Set<String> particles;
    /** What stands before a first name in the names of places. */
    private final Set<String> saints;
    /** What comes right before a name. */
    private final Pattern announcement;
    /** What comes before a name if that is in the lists. */
    private final Pattern salutation;

    private record Word(int start, int end, String text, String small) {
        /** As a name is written; an abbreviation is not. */
        boolean isCapital() {
            return Character.isUpperCase(text.charAt(0))
                    && (isInitial() || text.chars().anyMatch(Character::isLowerCase));
        }

        boolean isLoud() {
            return text.length() > 1 && text.chars().allMatch(Character::isUpperCase);
        }

        boolean isInitial() {
            return text.length() == 1 && Character.isUpperCase(text.charAt(0));
        }
    }

    NameFinder(NameLists names) {
        this.names = names;
        WordFile cues = WordFile.read("name-cues.txt");
        particles = cues.of("particle");
        saints = cues.of("saint");
        announcement = Pattern.compile(
                "(?iu)(?<!\\p{L})(?:(?:" + any(cues.of("title")) + ")\\.?|(?:" + any(cues.of("introduction"))
                        + "):?) +|(?<!\\p{L})(?:" + any(cues.of("farewell")) + ")[,!.]?[ \\t]*\\R\\s*");
        salutation = Pattern.compile("(?iu)(?<!\\p{L})(?:" + any(cues.of("salutation")) + ") +");
    }

    @Override
    public List<Span> find(String text) {
        List<Word> words = words(text);
        List<Span> spans = new ArrayList<>();
        announced(text, words, announcement, false, spans);
        announced(text, words, salutation, true, spans);
        int at = 0;
        while (at < words.size()) {
            int end = listed(text, words, at);
            if (end > at) {
                add(spans, words, at, end);
            }
            at = Math.max(at + 1, end);
        }
        return spans;
    }

    private static List<Word> words(String text) {
        List<Word> words = new ArrayList<>();
        Matcher matcher = WORD.matcher(text);
        while (matcher.find()) {
            // What stands in brackets in the place of something is no word.
            boolean isPlaceholder = matcher.start() > 0
                    && text.charAt(matcher.start() - 1) == '['
                    && matcher.end() < text.length()
                    && text.charAt(matcher.end()) == ']';
            if (!isPlaceholder) {
                String word = matcher.group();
                words.add(new Word(matcher.start(), matcher.end(), word, word.toLowerCase(Locale.ROOT)));
            }
        }
        return words;
    }

    /** Names behind words that announce them. */
    private void announced(String text, List<Word> words, Pattern before, boolean mustBeListed, List<Span> spans) {
        Matcher matcher = before.matcher(text);
        while (matcher.find()) {
            int from = indexOf(words, matcher.end());
            int at = from < 0 ? -1 : behindParticles(text, words, from);
            if (at >= 0 && words.get(at).isCapital()) {
                String small = words.get(at).small();
                boolean isListed = names.first().contains(small) || names.last().contains(small);
                if (isListed || !mustBeListed) {
                    add(
                            spans,
                            words,
                            from,
                            end(
                                    text,
                                    words,
                                    at,
                                    !mustBeListed || names.certain().contains(small)));
                }
            }
        }
    }

    private static int indexOf(List<Word> words, int start) {
        int low = 0;
        int high = words.size();
        while (low < high) {
            int middle = (low + high) / 2;
            if (words.get(middle).start() < start) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low < words.size() && words.get(low).start() == start ? low : -1;
    }

    /** Index of the first word that is no particle of a family name. */
    private int behindParticles(String text, List<Word> words, int from) {
        int at = from;
        while (at + 1 < words.size()
                && particles.contains(words.get(at).text())
                && isAdjacent(text, words.get(at), words.get(at + 1))) {
            at++;
        }
        return at;
    }

    /** Index behind a name that the lists know, or the index itself where there is none. */
    private int listed(String text, List<Word> words, int at) {
        Word word = words.get(at);
        boolean isBeforeLast = at + 1 < words.size();
        if (word.isLoud() && isBeforeLast && words.get(at + 1).isLoud()) {
            boolean isPair = names.first().contains(word.small())
                    && names.last().contains(words.get(at + 1).small())
                    && isAdjacent(text, word, words.get(at + 1));
            return isPair ? at + 2 : at;
        }
        boolean isPlace =
                at > 0 && saints.contains(words.get(at - 1).small()) && isAdjacent(text, words.get(at - 1), word);
        if (!word.isCapital() || isPlace) {
            return at;
        }
        if (names.certain().contains(word.small())) {
            return end(text, words, at, true);
        }
        if (names.first().contains(word.small())) {
            int end = end(text, words, at, false);
            // Two words of the lists are a name where one is not.
            return end > at + 1 && names.last().contains(words.get(end - 1).small()) ? end : at;
        }
        boolean isTurned = isBeforeLast
                && names.last().contains(word.small())
                && text.substring(word.end(), words.get(at + 1).start()).equals(", ")
                && words.get(at + 1).isCapital()
                && names.certain().contains(words.get(at + 1).small());
        return isTurned ? end(text, words, at + 1, false) : at;
    }

    /**
     * Index behind the name that begins at a word.
     *
     * @param takesUnknown whether the next word belongs to it, if it has a capital, even when no list knows it
     */
    private int end(String text, List<Word> words, int at, boolean takesUnknown) {
        int end = at + 1;
        boolean isFamily = !takesUnknown;
        for (int taken = 1; taken < MOST_WORDS; taken++) {
            if (end >= words.size() || !isAdjacent(text, words.get(end - 1), words.get(end))) {
                return end;
            }
            int next = behindParticles(text, words, end);
            Word word = words.get(next);
            boolean isKnown =
                    names.last().contains(word.small()) || names.first().contains(word.small()) || word.isInitial();
            if (!word.isCapital() || !(isKnown || next > end || !isFamily)) {
                return end;
            }
            isFamily = isFamily || !word.isInitial();
            end = next + 1;
        }
        return end;
    }

    /** Whether a blank is between them, after a single letter with a full stop. */
    private static boolean isAdjacent(String text, Word first, Word second) {
        String between = text.substring(first.end(), second.start());
        return between.equals(" ") || (between.equals(". ") && first.isInitial());
    }

    private static void add(List<Span> spans, List<Word> words, int from, int to) {
        Span span = new Span(words.get(from).start(), words.get(to - 1).end(), PersonalData.NAME);
        if (spans.stream().noneMatch(span::overlaps)) {
            spans.add(span);
        }
    }

    /** The longest first, so that none hides another. */
    private static String any(Collection<String> phrases) {
        return phrases.stream()
                .sorted(Comparator.comparing(String::length).reversed())
                .map(phrase -> Pattern.quote(phrase).replace(" ", "\\E +\\Q"))
                .collect(Collectors.joining("|"));
    }
}
