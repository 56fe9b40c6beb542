package io.inferwatch.probes.engine;

import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.schemas.settings.Settings;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.directory.DirContext;
import javax.naming.directory.InitialDirContext;

/**
 * Targets that DNS names in SRV records, as a headless service of Kubernetes has: one for each record, whose replica is the host's first label where that
 * ends in a number, as a stateful set's pods do, and host and port otherwise.
 *
 * @param record the name that is asked for
 * @param path of every page
 * @param scheme http or https
 * @param server the DNS server, or empty for the host's own
 * @param identity what is the same for all
 */
record DnsTargets(
        String record, String path, String scheme, String server, Settings identity, TargetTls tls, Duration every)
        implements TargetSource {
    private static final Pattern SRV = Pattern.compile("(\\d+) (\\d+) (\\d+) (\\S+?)\\.?");
    private static final Pattern STATEFUL = Pattern.compile("([^.]+-\\d{1,5})\\..*");
    private static final Duration DEFAULT_EVERY = Duration.ofSeconds(30);

    /** Reads the section. Problems are the section's. */
    static DnsTargets of(Settings section) {
        Duration every = section.duration("every", Duration.ofSeconds(1), Duration.ofDays(1), DEFAULT_EVERY);
        Settings replica = section.section("replica");
        // Asked once here, so that a mistyped key is found at the start.
        ReplicaIdentity.of(replica, Map.of("INFERWATCH_REPLICA", "any"));
        return new DnsTargets(
                section.text("srv"),
                section.text("path", "/metrics"),
                section.flag("https", false) ? "https" : "http",
                section.text("server", ""),
                replica,
                TargetTls.of(section),
                Objects.requireNonNullElse(every, DEFAULT_EVERY));
    }

    @Override
    public String name() {
        return "dns";
    }

    /** JNDI's DNS gives texts alone: no object is looked up, and none is made of what comes back. */
    @Override
    @SuppressWarnings({"BanJNDI", "JdkObsolete"})
    public List<Target> targets() throws TargetSourceException {
        Hashtable<String, String> environment = new Hashtable<>();
        environment.put("java.naming.factory.initial", "com.sun.jndi.dns.DnsContextFactory");
        environment.put("java.naming.provider.url", "dns:" + (server.isEmpty() ? "" : "//" + server));
        environment.put("com.sun.jndi.dns.timeout.initial", "1000");
        environment.put("com.sun.jndi.dns.timeout.retries", "2");
        try {
            DirContext context = new InitialDirContext(environment);
            try {
                Attribute records =
                        context.getAttributes(record, new String[] {"SRV"}).get("SRV");
                List<Target> targets = new ArrayList<>();
                if (records != null) {
                    for (Object text : Collections.list(records.getAll())) {
                        targets.add(target(String.valueOf(text)));
                    }
                }
                return targets;
            } finally {
                context.close();
            }
        } catch (NamingException e) {
            throw new TargetSourceException(record + ": " + e.getMessage());
        }
    }

    private Target target(String text) throws TargetSourceException {
        Matcher parts = SRV.matcher(text);
        if (!parts.matches()) {
            throw new TargetSourceException(record + ": must have SRV records, found '" + text + "'");
        }
        String host = parts.group(4);
        String port = parts.group(3);
        Matcher stateful = STATEFUL.matcher(host);
        String replica = stateful.matches() ? stateful.group(1) : host + ":" + port;
        return new Target(
                URI.create(scheme + "://" + host + ":" + port + path),
                ReplicaIdentity.of(identity, Map.of("INFERWATCH_REPLICA", replica)),
                Optional.empty(),
                tls);
    }
}
