package io.inferwatch.influx;

import com.influxdb.client.BucketsQuery;
import com.influxdb.client.OrganizationsQuery;
import com.influxdb.client.domain.Bucket;
import com.influxdb.client.domain.BucketRetentionRules;
import com.influxdb.client.domain.DBRPCreate;
import com.influxdb.client.domain.DBRPs;
import com.influxdb.client.domain.Organization;
import com.influxdb.client.service.DbrPsService;
import com.influxdb.exceptions.ForbiddenException;
import com.influxdb.exceptions.InfluxException;
import com.influxdb.exceptions.NotFoundException;
import com.influxdb.exceptions.UnauthorizedException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import retrofit2.Response;

/**
 * Makes what Inferwatch needs in an InfluxDB and leaves alone what is there: in 1.x a database and its retention policies, in 2.x a
 * bucket for each policy, named database/policy, and the DBRP mapping by which queries find it. May be run again at any time; a
 * policy that is there with other durations is reported and kept, because shortening one deletes data.
 */
public final class InfluxSetup {
    private static final Pattern DURATION = Pattern.compile("(\\d+)([hms])");

    private final InfluxClient client;

    /** A setup of the client's server. The client stays the caller's to close. */
    public InfluxSetup(InfluxClient client) {
        this.client = client;
    }

    /** What happened to one thing. */
    public enum Change {
        MADE,
        WAS_THERE,
        /** It was there with other durations, which were kept. */
        DIFFERS
    }

    /**
     * One thing that is needed.
     *
     * @param thing its kind and name
     * @param detail its durations, and those found where they differ
     */
    public record Step(Change change, String thing, String detail) {}

    /**
     * Makes what is missing.
     *
     * @throws InfluxUnavailableException when the server does not answer
     * @throws InfluxConfigurationException when the server does not let the connection do it
     * @throws InfluxQueryException when the server refuses for another reason
     */
    public List<Step> run() {
        return client.version().hasBuckets() ? makeBuckets() : makeDatabase();
    }

    private List<Step> makeDatabase() {
        InfluxReader reader = new InfluxReader(client);
        String database = client.connection().database();
        List<Step> steps = new ArrayList<>();
        if (column(reader.query("SHOW DATABASES"), "name").contains(database)) {
            steps.add(new Step(Change.WAS_THERE, "database " + database, ""));
        } else {
            // With its own default policy, so that no 'autogen' takes what is written without one.
            reader.query("CREATE DATABASE " + InfluxQl.identifier(database) + " WITH "
                    + durations(RetentionPolicy.DEFAULT) + " NAME "
                    + InfluxQl.identifier(RetentionPolicy.DEFAULT.policyName()));
            steps.add(new Step(Change.MADE, "database " + database, ""));
            steps.add(step(Change.MADE, RetentionPolicy.DEFAULT));
        }
        Map<String, Duration[]> present = policies(reader, database);
        for (RetentionPolicy policy : RetentionPolicy.values()) {
            Duration[] found = present.get(policy.policyName());
            if (found == null) {
                reader.query("CREATE RETENTION POLICY " + InfluxQl.identifier(policy.policyName()) + " ON "
                        + InfluxQl.identifier(database) + " " + durations(policy)
                        + (policy == RetentionPolicy.DEFAULT ? " DEFAULT" : ""));
                steps.add(step(Change.MADE, policy));
            } else if (steps.stream().noneMatch(step -> step.thing().equals(thing(policy)))) {
                steps.add(found(policy, found[0], found[1]));
            }
        }
        return steps;
    }

    private static Map<String, Duration[]> policies(InfluxReader reader, String database) {
        Map<String, Duration[]> policies = new HashMap<>();
        for (InfluxSeries series : reader.query("SHOW RETENTION POLICIES ON " + InfluxQl.identifier(database))) {
            for (InfluxRow row : series.rows()) {
                policies.put(row.text("name").orElse(""), new Duration[] {
                    parse(row.text("duration").orElse("")),
                    parse(row.text("shardGroupDuration").orElse(""))
                });
            }
        }
        return policies;
    }

    private List<Step> makeBuckets() {
        InfluxConnection connection = client.connection();
        try {
            Organization organization = organization(connection.org());
            List<Step> steps = new ArrayList<>();
            for (RetentionPolicy policy : RetentionPolicy.values()) {
                String name = connection.database() + "/" + policy.policyName();
                BucketsQuery query = new BucketsQuery();
                query.setOrgID(organization.getId());
                query.setName(name);
                Bucket bucket = client.official().getBucketsApi().findBuckets(query).stream()
                        .findFirst()
                        .orElse(null);
                if (bucket == null) {
                    BucketRetentionRules rules = new BucketRetentionRules();
                    rules.setEverySeconds(Math.toIntExact(policy.keep().toSeconds()));
                    rules.setShardGroupDurationSeconds(policy.shard().toSeconds());
                    bucket = client.official().getBucketsApi().createBucket(name, rules, organization);
                    steps.add(new Step(Change.MADE, "bucket " + name, detail(policy)));
                } else {
                    steps.add(found(policy, "bucket " + name, keep(bucket), shard(bucket, policy)));
                }
                steps.add(mapping(organization, policy, bucket));
            }
            return steps;
        } catch (UnauthorizedException | ForbiddenException e) {
            throw new InfluxConfigurationException(
                    "InfluxDB at " + connection.url() + " does not let the token make buckets: " + e.getMessage(), e);
        } catch (InfluxException e) {
            if (e.status() == 0 || e.status() >= 500) {
                throw new InfluxUnavailableException(
                        "InfluxDB at " + connection.url() + " cannot answer now: " + e.getMessage(), e);
            }
            throw new InfluxQueryException("InfluxDB at " + connection.url() + " refuses: " + e.getMessage());
        }
    }

    private Organization organization(String name) {
        OrganizationsQuery query = new OrganizationsQuery();
        query.setOrg(name);
        List<Organization> found;
        try {
            found = client.official().getOrganizationsApi().findOrganizations(query);
        } catch (NotFoundException e) {
            found = List.of();
        }
        return found.stream()
                .filter(organization -> name.equals(organization.getName()))
                .findFirst()
                .orElseThrow(() -> new InfluxConfigurationException(
                        "--influxdb-org: must be an organization that the token may see, found '" + name + "'"));
    }

    private Step mapping(Organization organization, RetentionPolicy policy, Bucket bucket) {
        String database = client.connection().database();
        String thing = "mapping of database " + database + ", retention policy " + policy.policyName();
        DbrPsService mappings = client.service(DbrPsService.class);
        try {
            Response<DBRPs> present = mappings.getDBRPs(
                            null, organization.getId(), null, null, null, null, database, policy.policyName())
                    .execute();
            DBRPs body = requireSuccess(present, thing);
            if (body.getContent() != null
                    && body.getContent().stream()
                            .anyMatch(mapping -> policy.policyName().equals(mapping.getRetentionPolicy())
                                    && database.equals(mapping.getDatabase()))) {
                return new Step(Change.WAS_THERE, thing, "");
            }
            DBRPCreate create = new DBRPCreate()
                    .orgID(organization.getId())
                    .bucketID(bucket.getId())
                    .database(database)
                    .retentionPolicy(policy.policyName())
                    ._default(policy == RetentionPolicy.DEFAULT);
            requireSuccess(mappings.postDBRP(create, null).execute(), thing);
            return new Step(Change.MADE, thing, "");
        } catch (IOException e) {
            throw new InfluxUnavailableException(
                    "InfluxDB at " + client.connection().url() + " does not answer: " + e, e);
        }
    }

    private static <T> T requireSuccess(Response<T> response, String thing) throws IOException {
        T body = response.body();
        if (response.isSuccessful() && body != null) {
            return body;
        }
        String text = response.errorBody() == null ? "" : response.errorBody().string();
        throw new InfluxQueryException("InfluxDB refuses the " + thing + ": HTTP " + response.code() + ": "
                + WriteAnswer.Classification.shorten(text));
    }

    private static Duration keep(Bucket bucket) {
        return bucket.getRetentionRules().stream()
                .map(BucketRetentionRules::getEverySeconds)
                .findFirst()
                .map(Duration::ofSeconds)
                .orElse(Duration.ZERO);
    }

    private static Duration shard(Bucket bucket, RetentionPolicy whenUnknown) {
        return bucket.getRetentionRules().stream()
                .map(BucketRetentionRules::getShardGroupDurationSeconds)
                .filter(seconds -> seconds != null)
                .findFirst()
                .map(Duration::ofSeconds)
                .orElse(whenUnknown.shard());
    }

    private static Step found(RetentionPolicy policy, Duration keep, Duration shard) {
        return found(policy, thing(policy), keep, shard);
    }

    private static Step found(RetentionPolicy policy, String thing, Duration keep, Duration shard) {
        return keep.equals(policy.keep()) && shard.equals(policy.shard())
                ? new Step(Change.WAS_THERE, thing, detail(policy))
                : new Step(
                        Change.DIFFERS,
                        thing,
                        "keeps " + write(keep) + " in shards of " + write(shard) + ", not " + write(policy.keep())
                                + " in shards of " + write(policy.shard()));
    }

    private static Step step(Change change, RetentionPolicy policy) {
        return new Step(change, thing(policy), detail(policy));
    }

    private static String thing(RetentionPolicy policy) {
        return "retention policy " + policy.policyName();
    }

    private static String detail(RetentionPolicy policy) {
        return "keeps " + write(policy.keep()) + " in shards of " + write(policy.shard());
    }

    private static String durations(RetentionPolicy policy) {
        return "DURATION " + policy.keep().toHours() + "h REPLICATION 1 SHARD DURATION "
                + policy.shard().toHours() + "h";
    }

    private static List<String> column(List<InfluxSeries> answer, String column) {
        return answer.stream()
                .flatMap(series -> series.rows().stream())
                .flatMap(row -> row.text(column).stream())
                .toList();
    }

    /** A duration as 1.x writes it: 168h0m0s; 0s is for ever. */
    static Duration parse(String text) {
        Duration duration = Duration.ZERO;
        Matcher matcher = DURATION.matcher(text);
        while (matcher.find()) {
            long amount = Long.parseLong(matcher.group(1));
            duration = duration.plus(
                    switch (matcher.group(2)) {
                        case "h" -> Duration.ofHours(amount);
                        case "m" -> Duration.ofMinutes(amount);
                        default -> Duration.ofSeconds(amount);
                    });
        }
        return duration;
    }

    private static String write(Duration duration) {
        if (duration.isZero()) {
            return "for ever";
        }
        return duration.toHours() % 24 == 0 ? duration.toDays() + " d" : duration.toHours() + " h";
    }
}
