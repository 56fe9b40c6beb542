package io.inferwatch.analytics.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.memory.Course.Reading;
import io.inferwatch.analytics.memory.Figure.Estimated;
import io.inferwatch.analytics.memory.Figure.Measured;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CourseTest {
    @Test
    void measuredReadingsMakeAMeasuredCourseWithItsTrend() {
        List<Reading> readings = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            readings.add(new Reading(10_000_000L * i, new Measured(0.1 + 0.01 * i)));
        }
        Course course = Course.of(readings);
        assertThat(course.n()).isEqualTo(12);
        assertThat(course.mean()).isInstanceOf(Measured.class);
        assertThat(course.mean().value()).isCloseTo(0.155, within(1e-12));
        assertThat(course.greatest()).isInstanceOf(Measured.class);
        assertThat(course.greatest().value()).isCloseTo(0.21, within(1e-12));
        assertThat(course.trend().orElseThrow().slope()).isCloseTo(0.001, within(1e-12));
        assertThat(course.clamped()).isZero();
    }

    @Test
    void oneEstimateMakesAllOfItAnEstimateAndClampedOnesAreCounted() {
        Course course = Course.of(List.of(
                new Reading(1, new Measured(0.5)),
                new Reading(2, Estimated.share(-0.2)),
                new Reading(3, Estimated.share(0.1)),
                new Reading(4, Estimated.share(1.2))));
        assertThat(course.mean()).isInstanceOf(Estimated.class);
        assertThat(course.mean().value()).isCloseTo(0.4, within(1e-12));
        assertThat(course.mean().asEstimate().computed()).isCloseTo(0.4, within(1e-12));
        assertThat(course.greatest()).isEqualTo(new Estimated(1, 1.2));
        assertThat(course.clamped()).isEqualTo(2);
        assertThat(course.trend()).isEmpty();
        assertThat(Course.of(List.of(new Reading(1, new Measured(0.9)), new Reading(2, Estimated.share(0.1))))
                        .greatest())
                .isEqualTo(new Estimated(0.9, 0.9));
    }

    @Test
    void readingsThatCannotBeAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Course.of(List.of()))
                .withMessage("readings: must be at least one, found none");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Measured(Double.NaN))
                .withMessage("value: must be finite, found NaN");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Estimated.share(Double.POSITIVE_INFINITY))
                .withMessage("computed: must be finite, found Infinity");
    }
}
