package io.inferwatch.local.bench.peers;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.PoolOptions;
import io.vertx.httpproxy.HttpProxy;

/** Vert.x's own reverse proxy on two event loops, with its native transport. Arguments: its port, the upstream's. */
final class VertxProxy {
    private static final int MAX_CONNECTIONS = 10_000;

    private VertxProxy() {}

    public static void main(String[] arguments) {
        int port = Integer.parseInt(arguments[0]);
        int upstreamPort = Integer.parseInt(arguments[1]);
        Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(2).setPreferNativeTransport(true));
        vertx.deployVerticle(() -> new Instance(port, upstreamPort), new DeploymentOptions().setInstances(2))
                .await();
    }

    private static final class Instance extends VerticleBase {
        private final int port;
        private final int upstreamPort;

        Instance(int port, int upstreamPort) {
            this.port = port;
            this.upstreamPort = upstreamPort;
        }

        @Override
        public Future<?> start() {
            HttpProxy proxy = HttpProxy.reverseProxy(vertx.createHttpClient(
                    new HttpClientOptions(), new PoolOptions().setHttp1MaxSize(MAX_CONNECTIONS)));
            proxy.origin(upstreamPort, "127.0.0.1");
            return vertx.createHttpServer(new HttpServerOptions().setAcceptBacklog(8192))
                    .requestHandler(proxy)
                    .listen(port, "127.0.0.1");
        }
    }
}
