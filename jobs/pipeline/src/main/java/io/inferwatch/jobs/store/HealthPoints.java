package io.inferwatch.jobs.store;

import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.PointBuilder;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.schemas.HealthSample;
import java.util.TreeMap;

/** One point for each reading of Inferwatch's own state. */
final class HealthPoints {
    private HealthPoints() {}

    static Point of(HealthSample sample) {
        PointBuilder point = PointBuilder.of(Measurement.HEALTH)
                .tag(Field.COMPONENT, sample.getComponent())
                .tag(Field.INSTANCE, sample.getInstance());
        new TreeMap<>(sample.getValues()).forEach(point::real);
        return new Point(RetentionPolicy.R1M, point, sample.getAtMicros());
    }
}
