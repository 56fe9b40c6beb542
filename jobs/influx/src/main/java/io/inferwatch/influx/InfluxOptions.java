package io.inferwatch.influx;

import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options by which every command names its InfluxDB; to be mixed in. Secrets come from files or the environment, never from options. */
public final class InfluxOptions {
    static final String TOKEN_VARIABLE = "INFERWATCH_INFLUXDB_TOKEN";
    static final String PASSWORD_VARIABLE = "INFERWATCH_INFLUXDB_PASSWORD";

    @Option(
            names = "--influxdb-url",
            paramLabel = "URL",
            description = "Where InfluxDB answers. Default: ${DEFAULT-VALUE}",
            defaultValue = "http://localhost:8086")
    private String url = "http://localhost:8086";

    @Option(
            names = "--influxdb-database",
            paramLabel = "NAME",
            description = "Database; in 2.x the database of the DBRP mappings. Default: ${DEFAULT-VALUE}",
            defaultValue = InfluxConnection.DEFAULT_DATABASE)
    private String database = InfluxConnection.DEFAULT_DATABASE;

    @Option(
            names = "--influxdb-org",
            paramLabel = "NAME",
            description = "Organization of InfluxDB 2.x. Default: ${DEFAULT-VALUE}",
            defaultValue = InfluxConnection.DEFAULT_DATABASE)
    private String org = InfluxConnection.DEFAULT_DATABASE;

    @Option(
            names = "--influxdb-token-file",
            paramLabel = "FILE",
            description = "File with the API token of InfluxDB 2.x. Default: the environment's " + TOKEN_VARIABLE)
    private @Nullable Path tokenFile;

    @Option(names = "--influxdb-user", paramLabel = "NAME", description = "User of InfluxDB 1.x with authentication")
    private @Nullable String user;

    @Option(
            names = "--influxdb-password-file",
            paramLabel = "FILE",
            description = "File with that user's password. Default: the environment's " + PASSWORD_VARIABLE)
    private @Nullable Path passwordFile;

    /**
     * The connection that the options describe.
     *
     * @throws InfluxConfigurationException with the rule that they break
     */
    public InfluxConnection connection() {
        return connection(System.getenv());
    }

    InfluxConnection connection(Map<String, String> environment) {
        InfluxConnection connection = new InfluxConnection(url, database, org, credentials(environment));
        // A secret that is not there is better reported now than by the first request.
        if (connection.credentials() instanceof Credentials.Token token) {
            token.token().read(environment);
        } else if (connection.credentials() instanceof Credentials.UserPassword login) {
            login.password().read(environment);
        }
        return connection;
    }

    private Credentials credentials(Map<String, String> environment) {
        if (user != null && tokenFile != null) {
            throw new InfluxConfigurationException("--influxdb-user and --influxdb-token-file: must not both be given");
        }
        if (user != null) {
            Secret password =
                    passwordFile == null ? Secret.inEnvironment(PASSWORD_VARIABLE) : Secret.inFile(passwordFile);
            return new Credentials.UserPassword(user, password);
        }
        if (passwordFile != null) {
            throw new InfluxConfigurationException("--influxdb-password-file: needs --influxdb-user");
        }
        if (tokenFile != null) {
            return new Credentials.Token(Secret.inFile(tokenFile));
        }
        return environment.containsKey(TOKEN_VARIABLE)
                ? new Credentials.Token(Secret.inEnvironment(TOKEN_VARIABLE))
                : new Credentials.None();
    }
}
