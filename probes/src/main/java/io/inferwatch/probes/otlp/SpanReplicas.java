package io.inferwatch.probes.otlp;

import io.inferwatch.probes.identity.Glob;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.probes.publish.ReplicaState;
import io.inferwatch.schemas.settings.Settings;
import io.opentelemetry.proto.resource.v1.Resource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which replica a resource is. The settings' {@code replicas} decide first, by attributes; else the resource's own attributes do. The name is the
 * first of {@code inferwatch.replica}, {@code service.instance.id}, the pod of a stateful set, {@code host.name}, {@code service.name} that is
 * there and stable: an id made anew at every start counts last. Thread safe; remembers up to 4,096 resources and names up to 4,000 replicas, all
 * further ones {@value #OTHER}.
 */
final class SpanReplicas {
    static final String OTHER = "other";
    static final String UNNAMED = "unnamed";

    private static final Logger LOG = LoggerFactory.getLogger(SpanReplicas.class);
    private static final int MAX_REPLICAS = 4_000;
    private static final int MAX_RESOURCES = 4_096;
    private static final Pattern UUID = Pattern.compile("(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final Pattern STATEFUL_POD = Pattern.compile(".*-\\d{1,5}");

    private final List<Rule> rules;
    private final Tally<Oddity> oddities;
    private final Set<String> names = new HashSet<>();
    private final Map<Resource, ReplicaIdentity> known = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Resource, ReplicaIdentity> eldest) {
            return size() > MAX_RESOURCES;
        }
    };
    private boolean warned;

    /** A replica of the settings and what its resource's attributes must be like. */
    record Rule(Map<String, Glob> match, ReplicaIdentity replica) {
        boolean matches(Attributes resource) {
            return match.entrySet().stream().allMatch(entry -> {
                String value = resource.text(entry.getKey());
                return value != null && entry.getValue().matches(value);
            });
        }
    }

    SpanReplicas(List<Rule> rules, Tally<Oddity> oddities) {
        this.rules = rules;
        this.oddities = oddities;
    }

    /** Reads the settings' section {@code replicas}: a mapping of names. Problems are the section's. */
    static List<Rule> rules(Settings section) {
        List<Rule> rules = new ArrayList<>();
        section.sections().forEach((name, entry) -> {
            Map<String, Glob> match = new LinkedHashMap<>();
            entry.section("match").texts().forEach((key, value) -> match.put(key, new Glob(value)));
            if (match.isEmpty()) {
                entry.problem("match", "a mapping of resource attributes", "none");
            }
            rules.add(new Rule(match, ReplicaIdentity.of(entry, Map.of("INFERWATCH_REPLICA", name))));
        });
        return rules;
    }

    /** The replica whose spans have this resource. */
    synchronized ReplicaIdentity of(Resource resource) {
        ReplicaIdentity replica = known.get(resource);
        if (replica == null) {
            replica = find(new Attributes(resource.getAttributesList()));
            known.put(resource, replica);
        }
        if (replica.replica().equals(UNNAMED)) {
            oddities.add(Oddity.UNNAMED_REPLICA);
        } else if (replica.replica().equals(OTHER)) {
            oddities.add(Oddity.TOO_MANY_REPLICAS);
        }
        return replica;
    }

    private ReplicaIdentity find(Attributes resource) {
        for (Rule rule : rules) {
            if (rule.matches(resource)) {
                return rule.replica();
            }
        }
        String pod = resource.name("k8s.pod.name");
        String name = name(resource, pod);
        if (name.equals(UNNAMED) && !warned) {
            warned = true;
            LOG.warn(
                    "a resource does not say which replica it is: set service.instance.id in its OTEL_RESOURCE_ATTRIBUTES");
        }
        if (!names.contains(name) && names.size() >= MAX_REPLICAS) {
            name = OTHER;
        }
        names.add(name);
        return new ReplicaIdentity(
                name,
                new ReplicaState.Placement(
                        resource.name("k8s.node.name", "host.name"),
                        pod,
                        resource.name("cloud.region"),
                        resource.name("inferwatch.pool"),
                        null,
                        resource.name("service.version")),
                resource.name("k8s.cluster.name"),
                resource.name("service.name"),
                null,
                null,
                resource.names("inferwatch.gpu_uuids"),
                null,
                null,
                resource.name("inferwatch.configuration_name"),
                Map.of());
    }

    private static String name(Attributes resource, @Nullable String pod) {
        String given = resource.name("inferwatch.replica");
        if (given != null) {
            return given;
        }
        String instance = resource.name("service.instance.id");
        if (instance != null && !UUID.matcher(instance).matches()) {
            return instance;
        }
        if (pod != null && STATEFUL_POD.matcher(pod).matches()) {
            return pod;
        }
        String host = resource.name("host.name");
        if (host != null) {
            return host;
        }
        if (instance != null) {
            return instance;
        }
        String service = resource.name("service.name");
        return pod != null ? pod : service == null || service.startsWith("unknown_service") ? UNNAMED : service;
    }
}
