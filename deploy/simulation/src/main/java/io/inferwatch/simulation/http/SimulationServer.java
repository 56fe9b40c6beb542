package io.inferwatch.simulation.http;

import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.simulation.serving.Fault;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerExpectContinueHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A simulated inference server that answers over HTTP: chat and text completions, streamed or not, models, health, version, vLLM's metrics,
 * and a switch for faults that only its own host may use. Every answer carries {@code x-simulated-by}. Tokens are sent when the model's
 * schedule says, some tenths of a millisecond late; the timing log has the times at which they really were. Nothing of a prompt is kept or
 * logged.
 */
public final class SimulationServer implements AutoCloseable {
    private static final int THREADS = 2;
    private static final long STOP_SECONDS = 5;

    private final Simulation simulation;
    private final Records records;
    private final EventLoopGroup threads;
    private final Channel channel;

    private SimulationServer(Simulation simulation, Records records, EventLoopGroup threads, Channel channel) {
        this.simulation = simulation;
        this.records = records;
        this.threads = threads;
        this.channel = channel;
    }

    /**
     * Serves from now on.
     *
     * @throws InvalidSettingsException when it cannot listen there or write its log
     */
    public static SimulationServer start(SimulationSettings settings) {
        Records records = new Records(settings);
        Simulation simulation = new Simulation(settings, records);
        EventLoopGroup threads = new MultiThreadIoEventLoopGroup(
                THREADS, new DefaultThreadFactory("inferwatch-simulation-http", true), NioIoHandler.newFactory());
        var bound = new ServerBootstrap()
                .group(threads)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, 4_096)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel accepted) {
                        accepted.pipeline()
                                .addLast(
                                        new HttpServerCodec(),
                                        new HttpServerExpectContinueHandler(),
                                        new ApiHandler(simulation));
                    }
                })
                .bind(settings.host(), settings.port())
                .awaitUninterruptibly();
        SimulationServer server = new SimulationServer(simulation, records, threads, bound.channel());
        if (!bound.isSuccess()) {
            server.close();
            throw new InvalidSettingsException(
                    "simulated server",
                    List.of("host, port: must be an address that is free on this host, found %s:%d (%s)"
                            .formatted(settings.host(), settings.port(), bound.cause())));
        }
        return server;
    }

    /** The port on which it listens. */
    public int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    /** Where it answers. */
    public String url() {
        InetSocketAddress address = (InetSocketAddress) channel.localAddress();
        String host = address.getAddress().getHostAddress();
        return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    /** Switches a fault on, from the next moment on. */
    public void switchOn(Fault fault, double severity) {
        fault.check(severity);
        var unused = simulation.change(Map.of(fault, severity), List.of());
    }

    /** Switches a fault off. */
    public void switchOff(Fault fault) {
        var unused = simulation.change(Map.of(), List.of(fault));
    }

    /** Spans of requests that end from now on go there, as OTLP over HTTP; once, and only where the settings named no place. */
    public void sendSpansTo(URI endpoint) {
        records.sendSpansTo(endpoint);
    }

    /** From now on the device's allocator is reported there, as a serving process reports {@code torch.cuda.memory_stats()}; once. */
    public void reportMemoryTo(URI endpoint) {
        records.reportMemoryTo(endpoint, simulation::device);
    }

    /** Where a DCGM exporter of the device would answer. */
    public URI gpuMetrics() {
        return URI.create(url() + ApiHandler.GPU_METRICS);
    }

    /** Cuts what is being answered. */
    @Override
    public void close() {
        channel.close().awaitUninterruptibly();
        threads.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
        simulation.close();
        records.close();
    }
}
