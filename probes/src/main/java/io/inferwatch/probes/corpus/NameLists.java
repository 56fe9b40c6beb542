package io.inferwatch.probes.corpus;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import net.datafaker.providers.base.BaseFaker;

/**
 * Names of persons, in small letters.
 *
 * @param first first names of any language
 * @param certain first names that are hardly anything else: known in a short list or in two long ones, and no common word, place or product
 * @param last family names of any language
 */
record NameLists(Set<String> first, Set<String> certain, Set<String> last) {
    private static final List<String> LANGUAGES = List.of(
            "en", "de", "fr", "es", "it", "pt", "pt-BR", "nl", "pl", "cs", "sk", "hr", "hu", "sv", "da-DK", "nb-NO",
            "fi-FI", "tr", "ru", "uk", "el-GR", "en-IN", "id", "vi", "ca", "es-MX", "fr-CA");
    /** Whose lists are so long that they have every word that ever was a name. */
    private static final Set<String> LONG = Set.of("en", "nl", "hu", "en-IN");

    private static final int SURE = 2;
    private static final List<String> FIRST =
            List.of("first_name", "male_first_name", "female_first_name", "man_first_name", "woman_first_name");
    private static final List<String> LAST =
            List.of("last_name", "male_last_name", "female_last_name", "man_last_name", "woman_last_name");

    NameLists {
        first = Set.copyOf(first);
        certain = Set.copyOf(certain);
        last = Set.copyOf(last);
    }

    /** The lists of the library, less the words that are something else too. */
    static NameLists load() {
        BaseFaker english = new BaseFaker(Locale.ENGLISH);
        Map<String, Integer> languages = new HashMap<>();
        Set<String> last = new HashSet<>();
        for (String language : LANGUAGES) {
            BaseFaker faker = new BaseFaker(Locale.forLanguageTag(language));
            int weight = LONG.contains(language) ? 1 : SURE;
            names(faker, FIRST, english).forEach(name -> languages.merge(name, weight, Integer::sum));
            last.addAll(names(faker, LAST, english));
        }
        WordFile own = WordFile.read("name-words.txt");
        own.of("frequent").forEach(name -> languages.put(name, SURE));
        languages.keySet().removeAll(own.of("never"));
        last.removeAll(own.of("family"));
        Set<String> certain = new HashSet<>();
        languages.forEach((name, weight) -> {
            if (weight >= SURE && name.length() > 2 && !own.of("ambiguous").contains(name)) {
                certain.add(name);
            }
        });
        return new NameLists(languages.keySet(), certain, last);
    }

    /** Names of a language under some keys; what it has from English is not its own. */
    private static Set<String> names(BaseFaker faker, List<String> keys, BaseFaker english) {
        Set<String> names = new HashSet<>();
        for (String key : keys) {
            List<?> own = list(faker, key);
            if (faker == english || !own.equals(list(english, key))) {
                own.forEach(name -> add(names, String.valueOf(name)));
            }
        }
        return names;
    }

    private static List<?> list(BaseFaker faker, String key) {
        Object found = faker.fakeValuesService().fetchObject("name." + key, faker.getContext());
        return found instanceof List<?> list ? list : List.of();
    }

    /** Of a name of several words each one; expressions that name other lists are none. */
    private static void add(Set<String> names, String name) {
        if (!name.contains("#{")) {
            for (String word : name.split(" ", -1)) {
                if (!word.isEmpty() && Character.isUpperCase(word.charAt(0))) {
                    names.add(word.toLowerCase(Locale.ROOT));
                }
            }
        }
    }
}
