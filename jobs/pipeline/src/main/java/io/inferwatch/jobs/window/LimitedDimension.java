package io.inferwatch.jobs.window;

import io.inferwatch.schemas.catalogue.GroupingDimension;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.View;
import java.util.ArrayList;
import java.util.List;

/**
 * A dimension of a view whose values are limited in number.
 *
 * @param place of the dimension in the view
 * @param limit how many values may have series of their own
 * @param perPlace place of the dimension for each value of which the limit holds, else -1
 */
record LimitedDimension(int place, String dimension, int limit, int perPlace) {

    /** Those of a view, in the order in which they are applied. */
    static List<LimitedDimension> of(View view, MetricCatalogue catalogue) {
        List<LimitedDimension> limited = new ArrayList<>();
        // Dimensions that limits hang on come first, so that a limit per "other" holds for all of that together.
        for (boolean hanging : new boolean[] {false, true}) {
            for (int place = 0; place < view.by().size(); place++) {
                if (view.by().get(place) instanceof GroupingDimension.Values values
                        && values.per().isPresent() == hanging) {
                    int perPlace = values.per()
                            .map(per -> view.dimensionNames().indexOf(per))
                            .orElse(-1);
                    // Where a view lacks the dimension that the limit hangs on, it holds for all its values together.
                    int limit = hanging && perPlace < 0
                            ? values.limit() * limitOf(values.per().orElseThrow(), catalogue)
                            : values.limit();
                    limited.add(new LimitedDimension(place, values.name(), limit, perPlace));
                }
            }
        }
        return List.copyOf(limited);
    }

    /** Within what the limit holds, with these values of the view's dimensions as far as they are kept. */
    String scope(String[] kept) {
        return perPlace < 0 ? dimension : dimension + "@" + kept[perPlace];
    }

    private static int limitOf(String dimension, MetricCatalogue catalogue) {
        return catalogue.dimensions().stream()
                .filter(d -> d.name().equals(dimension))
                .mapToInt(d -> d instanceof GroupingDimension.Values values ? values.limit() : 1)
                .findFirst()
                .orElse(1);
    }
}
