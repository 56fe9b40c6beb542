package io.inferwatch.local.bench.peers;

import java.net.URI;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.proxy.ProxyHandler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** Jetty's own reverse proxy. Arguments: its port, the upstream's. */
final class JettyProxy {
    private static final int MAX_CONNECTIONS = 10_000;

    private JettyProxy() {}

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        URI upstream = URI.create("http://127.0.0.1:" + arguments[1]);
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        connector.setPort(port);
        connector.setAcceptQueueSize(8192);
        server.addConnector(connector);
        server.setHandler(
                new ProxyHandler.Reverse(request -> HttpURI.build(request.getHttpURI())
                        .scheme(upstream.getScheme())
                        .host(upstream.getHost())
                        .port(upstream.getPort())) {
                    @Override
                    protected void configureHttpClient(HttpClient client) {
                        super.configureHttpClient(client);
                        client.setMaxConnectionsPerDestination(MAX_CONNECTIONS);
                    }
                });
        server.start();
    }
}
