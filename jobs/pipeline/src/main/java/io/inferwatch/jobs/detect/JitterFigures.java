package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.graphs.JitterStudy;
import io.inferwatch.analytics.graphs.Mediation;
import io.inferwatch.analytics.graphs.Wording;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.FigureResult;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What a {@link JitterStudy} shows, in its own fixed words and never without the number of failures that it stands on. */
final class JitterFigures {
    private JitterFigures() {}

    static FigureResult of(String model, boolean isRandomised, JitterStudy study, long endMicros) {
        Wording wording = study.wording();
        FigureBuilder result = new FigureBuilder(
                        Measurement.JITTER_STUDY,
                        "engine-model",
                        List.of(new Dimension("model", model)),
                        JitterFunction.HOUR_MICROS,
                        endMicros)
                .text(Field.ASSIGNMENT, isRandomised ? "randomised" : "observed")
                .text(Field.WORDING, wording.text())
                .text(Field.SENTENCE, wording.sentence())
                .count(Field.FAILURES, study.failures())
                .count(Field.REPLICAS, study.replicas());
        if (study instanceof JitterStudy.Observed observed) {
            result.estimate(Field.FAILURE_RATIO, Optional.of(observed.ratio()))
                    .estimate(Field.LAG_1_RATIO, Optional.of(observed.lags().get(0)))
                    .estimate(Field.LAG_2_RATIO, Optional.of(observed.lags().get(1)))
                    .estimate(Field.STRATIFIED_RATIO, observed.stratified())
                    .value(Field.FORWARD_P, observed.forwardP())
                    .value(Field.REVERSE_P, observed.reverseP())
                    .text(Field.PLACEBO, observed.placebo().result().name().toLowerCase(Locale.ROOT))
                    .estimate(Field.AFTER_RATIO, Optional.of(observed.placebo().after()))
                    .estimate(Field.DIRECT_RATIO, observed.mediation().map(Mediation::direct))
                    .estimate(Field.BY_NEW_SHAPES_RATIO, observed.mediation().map(Mediation::byNewShapes))
                    .value(Field.E_VALUE, observed.eValue());
        }
        if (study instanceof JitterStudy.Randomised randomised) {
            result.estimate(Field.FAILURE_DIFFERENCE, Optional.of(randomised.difference()));
        }
        return result.build();
    }
}
