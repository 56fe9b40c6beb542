package io.inferwatch.influx;

import java.io.Serializable;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/**
 * Which InfluxDB, which database on it, and how to be let in. May be serialised and printed: it holds no secret.
 *
 * @param url http or https, host, and the path under which a proxy offers InfluxDB, if any
 * @param database database of 1.x; in 2.x the database of the DBRP mappings, whose buckets are named database/retention-policy
 * @param org organization of 2.x; 1.x does not look at it
 */
public record InfluxConnection(String url, String database, String org, Credentials credentials)
        implements Serializable {
    /** The database when none is named. */
    public static final String DEFAULT_DATABASE = "inferwatch";

    /**
     * A checked connection.
     *
     * @throws InfluxConfigurationException with the rule that it breaks
     */
    public InfluxConnection {
        checkUrl(url);
        if (!database.matches("[A-Za-z0-9_.-]+")) {
            throw new InfluxConfigurationException(
                    "database: must be letters, digits, _ . and -, found '" + database + "'");
        }
        if (org.isBlank()) {
            throw new InfluxConfigurationException("org: must be the name of an organization, found nothing");
        }
    }

    /** The default database of a server without authentication. */
    public static InfluxConnection of(String url) {
        return new InfluxConnection(url, DEFAULT_DATABASE, DEFAULT_DATABASE, new Credentials.None());
    }

    /** Whether the server is on this machine, by the name that it is given. */
    boolean isLoopback() {
        String host = URI.create(url).getHost();
        return host.equals("localhost") || host.startsWith("127.") || host.equals("[::1]");
    }

    private static void checkUrl(String url) {
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException e) {
            throw new InfluxConfigurationException(
                    "url: must be a URL such as http://localhost:8086, found '" + url + "'", e);
        }
        if (uri.getRawUserInfo() != null) {
            throw new InfluxConfigurationException(
                    "url: must not hold user and password, which belong into options of their own");
        }
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        if (!(scheme.equals("http") || scheme.equals("https")) || uri.getHost() == null) {
            throw new InfluxConfigurationException(
                    "url: must be a URL such as http://localhost:8086, found '" + url + "'");
        }
        if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
            throw new InfluxConfigurationException("url: must end with the path, found '" + url + "'");
        }
    }
}
