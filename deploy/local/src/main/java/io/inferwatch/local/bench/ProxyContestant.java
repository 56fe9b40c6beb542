package io.inferwatch.local.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A proxy in a process of its own in front of the null upstream, or another probe.
 *
 * @param port where clients come in
 */
record ProxyContestant(String name, int port, Process process) implements AutoCloseable {
    /** What the proxy's own documentation recommends. */
    private static final List<String> JVM_OPTIONS =
            List.of("-Xms64m", "-Xmx64m", "-XX:+UseSerialGC", "-XX:MaxDirectMemorySize=64m", "-Xss512k");

    private static final String PEERS = "io.inferwatch.local.bench.peers.";
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final Pattern BLANKS = Pattern.compile(" +");
    /** Linux counts in hundredths of a second for user programs. */
    private static final double TICKS_PER_SECOND = 100;

    /** The measuring proxy; its Kafka may be a place where none is. */
    static ProxyContestant inferwatch(String name, int upstreamPort, String bootstrapServers, Path directory)
            throws IOException {
        int port = freePort();
        Path config = Files.writeString(
                directory.resolve("proxy-" + port + ".yaml"),
                "{replica: {name: null-0}, identity: {salt-file: '" + directory.resolve("salt") + "'}}");
        return java(
                name,
                port,
                directory,
                List.of(
                        "io.inferwatch.local.InferwatchCommand",
                        "probe",
                        "proxy",
                        "--listen=127.0.0.1:" + port,
                        "--admin-listen=0",
                        "--upstream=http://127.0.0.1:" + upstreamPort,
                        "--bootstrap-servers=" + bootstrapServers,
                        "--drain-delay=0s",
                        "--drain-timeout=1s",
                        "--config=" + config));
    }

    /** A plain proxy with another library, under the same options; it is built with the profile of peers only. */
    static ProxyContestant peer(String name, String type, int upstreamPort, Path directory) throws IOException {
        int port = freePort();
        return java(
                name, port, directory, List.of(PEERS + type, Integer.toString(port), Integer.toString(upstreamPort)));
    }

    private static ProxyContestant java(String name, int port, Path directory, List<String> program)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JVM_OPTIONS);
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(program);
        return started(
                name,
                port,
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(directory
                                .resolve(name.replace(' ', '-') + ".log")
                                .toFile()));
    }

    /** The engine probe; its port is that of its metrics. */
    static ProxyContestant engineProbe(List<String> targets, String bootstrapServers, Path directory)
            throws IOException {
        int port = freePort();
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-Xms128m",
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-Xmn16m",
                "-XX:TieredStopAtLevel=1",
                "-XX:ReservedCodeCacheSize=32m",
                "-Xss512k",
                "-cp",
                System.getProperty("java.class.path"),
                "io.inferwatch.local.InferwatchCommand",
                "probe",
                "engine",
                "--targets=" + String.join(",", targets),
                "--interval=1s",
                "--admin-listen=127.0.0.1:" + port,
                "--bootstrap-servers=" + bootstrapServers));
        return started(
                "engine probe",
                port,
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("engine-probe.log").toFile()));
    }

    /** nginx without buffering, with connections upstream that stay. */
    static ProxyContestant nginx(DebianProgram program, int upstreamPort, Path directory) throws IOException {
        int port = freePort();
        Path config = directory.resolve("nginx.conf");
        Files.writeString(config, """
                daemon off;
                worker_processes 2;
                pid %1$s/nginx.pid;
                error_log %1$s/nginx-error.log crit;
                events { worker_connections 12000; }
                http {
                  access_log off;
                  keepalive_requests 10000000;
                  client_body_temp_path %1$s/body; proxy_temp_path %1$s/proxy; fastcgi_temp_path %1$s/f; uwsgi_temp_path %1$s/u; scgi_temp_path %1$s/s;
                  upstream null { server 127.0.0.1:%2$d; keepalive 1024; keepalive_requests 10000000; }
                  server {
                    listen 127.0.0.1:%3$d backlog=8192;
                    location / {
                      proxy_pass http://null;
                      proxy_http_version 1.1;
                      proxy_set_header Connection "";
                      proxy_buffering off;
                      proxy_read_timeout 600s;
                    }
                  }
                }
                """.formatted(directory, upstreamPort, port));
        return started(
                "nginx",
                port,
                program.command(directory.resolve("nginx.log"), "-c", config.toString(), "-p", directory.toString()));
    }

    /** HAProxy, told not to hold data back. */
    static ProxyContestant haproxy(DebianProgram program, int upstreamPort, Path directory) throws IOException {
        int port = freePort();
        Path config = directory.resolve("haproxy.cfg");
        Files.writeString(config, """
                global
                  maxconn 8000
                  nbthread 2
                defaults
                  mode http
                  option http-no-delay
                  timeout connect 5s
                  timeout client 600s
                  timeout server 600s
                frontend in
                  bind 127.0.0.1:%d backlog 8192
                  default_backend null
                backend null
                  http-reuse always
                  server null 127.0.0.1:%d
                """.formatted(port, upstreamPort));
        return started(
                "HAProxy", port, program.command(directory.resolve("haproxy.log"), "-f", config.toString(), "-db"));
    }

    /** Processor time of the process and its children so far, seconds. */
    double processorSeconds() {
        return pids().mapToDouble(ProxyContestant::processorSeconds).sum();
    }

    /** Resident memory of the process and its children, MiB. */
    double residentMebibytes() {
        return pids().mapToDouble(ProxyContestant::residentMebibytes).sum();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroy);
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private Stream<Long> pids() {
        return Stream.concat(Stream.of(process.pid()), process.descendants().map(ProcessHandle::pid));
    }

    private static ProxyContestant started(String name, int port, ProcessBuilder builder) throws IOException {
        ProxyContestant contestant = new ProxyContestant(name, port, builder.start());
        long endNanos = System.nanoTime() + PATIENCE_NANOS;
        while (!answers(port)) {
            if (!contestant.process.isAlive() || System.nanoTime() - endNanos > 0) {
                contestant.close();
                throw new IllegalStateException(
                        name + " did not start; see " + builder.redirectOutput().file());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
        return contestant;
    }

    private static boolean answers(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static double processorSeconds(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"), StandardCharsets.UTF_8);
            String[] fields = BLANKS.split(stat.substring(stat.lastIndexOf(')') + 2), -1);
            return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
        } catch (IOException e) {
            return 0;
        }
    }

    static double residentMebibytes(long pid) {
        try {
            for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
                if (line.startsWith("VmRSS:")) {
                    return Long.parseLong(line.replaceAll("\\D", "")) / 1024.0;
                }
            }
            return 0;
        } catch (IOException e) {
            return 0;
        }
    }
}
