package io.inferwatch.probes.corpus;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Lists of words in small letters, from a file of the class path: {@code list: word, several words, word}, a list on as many lines as it likes; lines with # are for people. */
final class WordFile {
    private final String name;
    private final Map<String, Set<String>> lists = new HashMap<>();

    private WordFile(String name) {
        this.name = name;
    }

    static WordFile read(String name) {
        WordFile file = new WordFile(name);
        try (InputStream in = WordFile.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is missing from the class path");
            }
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))
                    .lines()
                    .forEach(file::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return file;
    }

    private void add(String line) {
        int colon = line.indexOf(':');
        if (colon > 0 && !line.startsWith("#")) {
            Set<String> list = lists.computeIfAbsent(line.substring(0, colon), key -> new LinkedHashSet<>());
            for (String word : line.substring(colon + 1).split(",", -1)) {
                list.add(word.trim());
            }
        }
    }

    /** The words of a list. */
    Set<String> of(String list) {
        Set<String> words = lists.get(list);
        if (words == null) {
            throw new IllegalStateException(name + " has no list " + list);
        }
        return words;
    }
}
