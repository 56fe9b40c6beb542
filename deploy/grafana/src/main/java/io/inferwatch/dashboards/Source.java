package io.inferwatch.dashboards;

import io.inferwatch.influx.InfluxQl;
import io.inferwatch.influx.RetentionPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Where points come from.
 *
 * @param policy their retention policy
 * @param measurement their measurement
 * @param every the time between two points of a series
 * @param conditions what their tags must be, in InfluxQL
 */
record Source(RetentionPolicy policy, String measurement, Duration every, List<String> conditions) {
    Source {
        conditions = List.copyOf(conditions);
    }

    static Source of(RetentionPolicy policy, String measurement, Duration every) {
        return new Source(policy, measurement, every, List.of());
    }

    /** Windows of the length that the policy is for. */
    static Source ofWindows(RetentionPolicy policy, String measurement) {
        return of(
                policy,
                measurement,
                switch (policy) {
                    case R10S -> Duration.ofSeconds(10);
                    case R1M -> Duration.ofMinutes(1);
                    case R1H -> Duration.ofHours(1);
                    case RUNS -> Duration.ofSeconds(1);
                });
    }

    /** Those whose tag or field has the value. */
    Source with(String tag, String value) {
        return and(InfluxQl.identifier(tag) + " = " + InfluxQl.string(value));
    }

    /** Those whose tag is among what the dashboard's variable of that name has chosen. */
    Source chosenBy(String variable) {
        return and(InfluxQl.identifier(variable) + " =~ /^$" + variable + "$/");
    }

    String from() {
        return InfluxQl.identifier(policy.policyName()) + "." + InfluxQl.identifier(measurement);
    }

    String where() {
        return conditions.stream().map(condition -> condition + " AND ").collect(Collectors.joining()) + "$timeFilter";
    }

    private Source and(String condition) {
        List<String> more = new ArrayList<>(conditions);
        more.add(condition);
        return new Source(policy, measurement, every, more);
    }
}
