package io.inferwatch.influx;

import com.influxdb.client.InfluxDBClient;
import com.influxdb.client.InfluxDBClientFactory;
import com.influxdb.client.InfluxDBClientOptions;
import com.influxdb.exceptions.InfluxException;
import java.time.Duration;
import okhttp3.ConnectionPool;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * The official client, made fit for every server from 1.6 to 2.x. Nothing is sent before the first request; the first one asks for the
 * server's version. Safe for use by several threads.
 */
public final class InfluxClient implements AutoCloseable {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    /** For one request; a write of 5,000 points takes 0.1 s, a query over a month some seconds. */
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(60);

    private final InfluxConnection connection;
    private final Dispatcher dispatcher = new Dispatcher();
    private final ConnectionPool pool = new ConnectionPool();
    private final InfluxDBClient client;
    private volatile @Nullable ServerVersion version;

    private InfluxClient(InfluxConnection connection) {
        this.connection = connection;
        InfluxDBClientOptions.Builder options = InfluxDBClientOptions.builder()
                .url(connection.url())
                .org(connection.org())
                .okHttpClient(new OkHttpClient.Builder()
                        .dispatcher(dispatcher)
                        .connectionPool(pool)
                        .socketFactory(new NoDelaySocketFactory())
                        .connectTimeout(CONNECT_TIMEOUT)
                        .readTimeout(REQUEST_TIMEOUT)
                        .writeTimeout(REQUEST_TIMEOUT)
                        .callTimeout(REQUEST_TIMEOUT)
                        .addNetworkInterceptor(new LegacyServerInterceptor(() -> version)));
        if (connection.credentials() instanceof Credentials.Token token) {
            options.authenticateToken(token.token().read().toCharArray());
        } else if (connection.credentials() instanceof Credentials.UserPassword login) {
            options.authenticateToken((login.user() + ":" + login.password().read()).toCharArray());
        }
        this.client = InfluxDBClientFactory.create(options.build());
        // Compressing takes longer than it saves where no network is between.
        if (!connection.isLoopback()) {
            client.enableGzip();
        }
    }

    /**
     * A client for the connection. Does not reach for the server yet.
     *
     * @throws InfluxConfigurationException when a secret is not where the connection says
     */
    public static InfluxClient open(InfluxConnection connection) {
        return new InfluxClient(connection);
    }

    /** The connection that this client was opened for. */
    public InfluxConnection connection() {
        return connection;
    }

    /**
     * The server's version, asked for once.
     *
     * @throws InfluxUnavailableException when the server does not answer
     * @throws InfluxConfigurationException when the server cannot work with the connection's credentials
     */
    public ServerVersion version() {
        ServerVersion known = version;
        if (known == null) {
            known = askVersion();
            if (known.isLegacy() && connection.credentials() instanceof Credentials.Token) {
                throw new InfluxConfigurationException("InfluxDB " + known + " at " + connection.url()
                        + " knows no tokens: give --influxdb-user and --influxdb-password-file instead");
            }
            version = known;
        }
        return known;
    }

    /** Forgets the server's version, so that another server behind the same address is recognised. */
    void forgetVersion() {
        version = null;
    }

    /** One of the official client's services, which give answers as they came. */
    <S> S service(Class<S> type) {
        return client.getService(type);
    }

    /** The official client. */
    InfluxDBClient official() {
        return client;
    }

    /** Breaks off requests under way and closes all connections. */
    @Override
    public void close() {
        dispatcher.cancelAll();
        client.close();
        dispatcher.executorService().shutdown();
        pool.evictAll();
    }

    private ServerVersion askVersion() {
        try {
            return ServerVersion.parse(client.version());
        } catch (InfluxException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new InfluxUnavailableException("InfluxDB at " + connection.url() + " does not answer: " + cause, e);
        }
    }
}
