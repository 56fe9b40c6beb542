package io.inferwatch.probes.proxy.measure;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The places in a document that matter, as a tree of names: {@code choices[].delta.content} leads to the fact that a string there states. A
 * document that is an array is taken for a sequence of documents. Immutable.
 */
final class JsonShape {
    /** One place. */
    static final class Place {
        private final List<byte[]> names = new ArrayList<>();
        private final List<Place> members = new ArrayList<>();
        private @Nullable Place element;
        private @Nullable Fact fact;

        /** The place of a member; null when nothing below it matters. */
        @Nullable
        Place member(byte[] name, int length) {
            for (int i = 0; i < names.size(); i++) {
                byte[] candidate = names.get(i);
                if (candidate.length == length && Arrays.equals(candidate, 0, length, name, 0, length)) {
                    return members.get(i);
                }
            }
            return null;
        }

        /** The place of the elements of an array. */
        @Nullable
        Place element() {
            return element;
        }

        /** What a value here states. */
        @Nullable
        Fact fact() {
            return fact;
        }

        private Place makeMember(String name) {
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            Place known = member(bytes, bytes.length);
            if (known == null) {
                known = new Place();
                names.add(bytes);
                members.add(known);
            }
            return known;
        }

        private Place makeElement() {
            Place known = element;
            if (known == null) {
                known = new Place();
                element = known;
            }
            return known;
        }
    }

    private final Place root = new Place();

    private JsonShape() {
        root.element = root;
    }

    /** The shape with the facts at the paths. */
    static JsonShape of(Map<String, Fact> paths) {
        JsonShape shape = new JsonShape();
        paths.forEach((path, fact) -> {
            Place place = shape.root;
            for (String step : path.split("\\.", -1)) {
                boolean isArray = step.endsWith("[]");
                place = place.makeMember(isArray ? step.substring(0, step.length() - 2) : step);
                if (isArray) {
                    place = place.makeElement();
                }
            }
            place.fact = fact;
        });
        return shape;
    }

    Place root() {
        return root;
    }
}
