package io.inferwatch.viewer;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The parameters of a request's address, by name, each as often as it was given. */
record Parameters(Map<String, List<String>> values) {
    static Parameters parse(@Nullable String rawQuery) {
        Map<String, List<String>> values = new LinkedHashMap<>();
        if (rawQuery != null) {
            for (String pair : rawQuery.split("&", -1)) {
                int equals = pair.indexOf('=');
                if (equals > 0) {
                    values.computeIfAbsent(decode(pair.substring(0, equals)), name -> new ArrayList<>())
                            .add(decode(pair.substring(equals + 1)));
                }
            }
        }
        return new Parameters(values);
    }

    /** The parameter's only value. */
    String one(String name) {
        List<String> found = all(name);
        if (found.size() != 1) {
            throw new BadRequestException(name + ": must be given once, found " + found.size() + " times");
        }
        return found.get(0);
    }

    /** The parameter's only value as a whole number. */
    long number(String name, long least, long greatest) {
        String found = one(name);
        try {
            long number = Long.parseLong(found);
            if (number >= least && number <= greatest) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new BadRequestException(
                name + ": must be a whole number from " + least + " to " + greatest + ", found '" + found + "'");
    }

    List<String> all(String name) {
        return values.getOrDefault(name, List.of());
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException("address: must be encoded in UTF-8 with percent signs, found '" + text + "'");
        }
    }
}
