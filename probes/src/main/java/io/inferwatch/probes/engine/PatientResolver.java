package io.inferwatch.probes.engine;

import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Looks names up as the host does, on a few threads of its own: the system's call waits, and a loop that serves many targets must not. */
final class PatientResolver extends AddressResolverGroup<InetSocketAddress> {
    private static final int THREADS = 4;
    private static final long IDLE_SECONDS = 30;

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                Thread thread = new Thread(task, "inferwatch-engine-names");
                thread.setDaemon(true);
                return thread;
            });

    PatientResolver() {
        threads.allowCoreThreadTimeOut(true);
    }

    @Override
    protected AddressResolver<InetSocketAddress> newResolver(EventExecutor loop) {
        return new InetNameResolver(loop) {
            @Override
            protected void doResolve(String host, Promise<InetAddress> promise) {
                threads.execute(() -> {
                    try {
                        promise.setSuccess(InetAddress.getByName(host));
                    } catch (UnknownHostException e) {
                        promise.setFailure(e);
                    }
                });
            }

            @Override
            protected void doResolveAll(String host, Promise<List<InetAddress>> promise) {
                threads.execute(() -> {
                    try {
                        promise.setSuccess(List.of(InetAddress.getAllByName(host)));
                    } catch (UnknownHostException e) {
                        promise.setFailure(e);
                    }
                });
            }
        }.asAddressResolver();
    }

    @Override
    public void close() {
        super.close();
        threads.shutdownNow();
    }
}
