package io.inferwatch.local.bench;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Servers that show a page of vLLM's metrics, each at a port of its own. Every value that grows has grown with every page. */
final class MetricPages implements AutoCloseable {
    private static final String[] PHASES = {
        "e2e_request_latency_seconds",
        "request_queue_time_seconds",
        "request_inference_time_seconds",
        "request_prefill_time_seconds",
        "request_decode_time_seconds",
        "inter_token_latency_seconds",
        "request_time_per_output_token_seconds",
        "time_to_first_token_seconds"
    };
    private static final String[] COUNTERS = {
        "prompt_tokens", "generation_tokens", "num_preemptions", "prefix_cache_queries", "prefix_cache_hits"
    };
    private static final double[] BOUNDS = {
        .3, .5, .8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680
    };

    private final List<Channel> listening = new ArrayList<>();
    private final int series;

    MetricPages(EventLoopGroup loops, int servers, int series) {
        this.series = series;
        for (int i = 0; i < servers; i++) {
            listening.add(new ServerBootstrap()
                    .group(loops)
                    .channel(NioServerSocketChannel.class)
                    .childHandler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline()
                                    .addLast(new HttpServerCodec(), new HttpObjectAggregator(65_536), new Answering());
                        }
                    })
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .syncUninterruptibly()
                    .channel());
        }
    }

    /** Where each server is. */
    List<String> urls() {
        return listening.stream()
                .map(channel ->
                        "http://127.0.0.1:" + ((InetSocketAddress) channel.localAddress()).getPort() + "/metrics")
                .toList();
    }

    /** The page of a moment: whole histograms and counters, engine by engine, until it has as many series as asked for. */
    static String page(int series, long turn) {
        StringBuilder page = new StringBuilder(series * 110);
        int written = 0;
        for (int engine = 0; written < series; engine++) {
            String labels = "engine=\"" + engine + "\",model_name=\"meta-llama/Llama-3.3-70B-Instruct\"";
            for (String counter : COUNTERS) {
                written +=
                        line(page, series - written, "vllm:" + counter + "_total{" + labels + "} ", (double) turn * 17);
            }
            written += line(page, series - written, "vllm:num_requests_running{" + labels + "} ", (double) (turn % 64));
            written += line(page, series - written, "vllm:kv_cache_usage_perc{" + labels + "} ", (turn % 97) / 97.0);
            for (String phase : PHASES) {
                page.append("# TYPE vllm:").append(phase).append(" histogram\n");
                for (double bound : BOUNDS) {
                    String name = "vllm:" + phase + "_bucket{" + labels + ",le=\"" + bound + "\"} ";
                    written += line(page, series - written, name, turn * Math.floor(bound * 2));
                }
                written += line(page, series - written, "vllm:" + phase + "_sum{" + labels + "} ", turn * 1.234567891);
            }
        }
        return page.toString();
    }

    private static int line(StringBuilder page, int left, String name, double value) {
        if (left > 0) {
            page.append(name).append(value).append('\n');
        }
        return 1;
    }

    @Override
    public void close() {
        listening.forEach(channel -> channel.close().syncUninterruptibly());
    }

    private final class Answering extends SimpleChannelInboundHandler<FullHttpRequest> {
        private long turn = 1_000;

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            byte[] page = page(series, turn++).getBytes(StandardCharsets.US_ASCII);
            FullHttpResponse response = new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.wrappedBuffer(page));
            response.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8");
            response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, page.length);
            var unused = context.writeAndFlush(response);
        }
    }
}
