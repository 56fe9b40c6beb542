package io.inferwatch.probes.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.schemas.settings.Settings;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Targets as Kubernetes' API and a DNS server tell them. */
class TargetSourcesIT {
    @TempDir
    private Path directory;

    @Test
    void runningPodsWithTheLabelsAreTargets() throws Exception {
        List<String> asked = new CopyOnWriteArrayList<>();
        try (PageServer api = new PageServer().on("/api/v1/namespaces/llm/pods", exchange -> {
            asked.add(exchange.getRequestURI().getQuery() + " "
                    + exchange.getRequestHeaders().getFirst("Authorization"));
            PageServer.send(exchange, "application/json", """
                    {"kind": "PodList", "items": [
                      {"metadata": {"name": "chat-0", "labels": {"app": "vllm", "inferwatch.io/pool": "h200", "app.kubernetes.io/version": "7"}},
                       "spec": {"nodeName": "node-1"}, "status": {"phase": "Running", "podIP": "10.0.0.1"}},
                      {"metadata": {"name": "chat-1", "deletionTimestamp": "2026-11-30T00:00:00Z"},
                       "spec": {"nodeName": "node-1"}, "status": {"phase": "Running", "podIP": "10.0.0.2"}},
                      {"metadata": {"name": "chat-2"}, "spec": {}, "status": {"phase": "Pending"}},
                      {"metadata": {"name": "chat-3"}, "spec": {"nodeName": "node-2"}, "status": {"phase": "Running", "podIP": "fd00::4"}}]}
                    """.getBytes(StandardCharsets.UTF_8));
        })) {
            Path token = Files.writeString(directory.resolve("token"), "secret\n");
            Settings section = Settings.parse(
                    "test",
                    "{server: \"" + api.url("") + "\", namespace: llm, selector: \"app=vllm\", port: 8000, token-file: "
                            + token + "}");
            KubernetesTargets source = KubernetesTargets.of(section);
            section.check();
            List<Target> targets = source.targets();
            assertThat(targets)
                    .extracting(target -> target.url().toString())
                    .containsExactly("http://10.0.0.1:8000/metrics", "http://[fd00::4]:8000/metrics");
            assertThat(targets).extracting(Target::replica).containsExactly("chat-0", "chat-3");
            assertThat(targets.get(0).identity().placement().node()).isEqualTo("node-1");
            assertThat(targets.get(0).identity().placement().pod()).isEqualTo("chat-0");
            assertThat(targets.get(0).identity().placement().pool()).isEqualTo("h200");
            assertThat(targets.get(0).identity().placement().version()).isEqualTo("7");
            assertThat(asked).containsExactly("labelSelector=app=vllm Bearer secret");
        }
    }

    @Test
    void anApiThatRefusesIsAFailureAndNoEmptyList() {
        try (PageServer api =
                new PageServer().on("/api/v1/namespaces/llm/pods", exchange -> exchange.sendResponseHeaders(403, -1))) {
            Settings section = Settings.parse(
                    "test", "{server: \"" + api.url("") + "\", namespace: llm, selector: \"app=vllm\", port: 8000}");
            KubernetesTargets source = KubernetesTargets.of(section);
            assertThatThrownBy(source::targets)
                    .isInstanceOf(TargetSourceException.class)
                    .hasMessage("the API answers with status 403");
        }
    }

    @Test
    void everySrvRecordIsATarget() throws Exception {
        try (SrvServer dns = new SrvServer()) {
            Settings section = Settings.parse(
                    "test",
                    "{srv: _metrics._tcp.chat.svc, server: \"127.0.0.1:" + dns.port() + "\", replica: {pool: h200}}");
            DnsTargets source = DnsTargets.of(section);
            section.check();
            List<Target> targets = source.targets();
            assertThat(targets)
                    .extracting(target -> target.url().toString())
                    .containsExactlyInAnyOrder(
                            "http://chat-0.chat.svc:8000/metrics", "http://gateway.chat.svc:9000/metrics");
            assertThat(targets)
                    .extracting(Target::replica)
                    .containsExactlyInAnyOrder("chat-0", "gateway.chat.svc:9000");
            assertThat(targets.get(0).identity().placement().pool()).isEqualTo("h200");
        }
    }

    /** Answers every question with the same two SRV records. */
    private static final class SrvServer implements AutoCloseable {
        private static final int SRV = 33;
        private static final int HEADER_BYTES = 12;
        private static final int FOOTER_BYTES = 4;

        private final DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        private final Thread thread = new Thread(this::serve, "dns");

        SrvServer() throws SocketException {
            thread.setDaemon(true);
            thread.start();
        }

        int port() {
            return socket.getLocalPort();
        }

        private void serve() {
            byte[] buffer = new byte[512];
            try {
                while (!socket.isClosed()) {
                    DatagramPacket question = new DatagramPacket(buffer, buffer.length);
                    socket.receive(question);
                    byte[] answer = answer(buffer);
                    socket.send(new DatagramPacket(answer, answer.length, question.getSocketAddress()));
                }
            } catch (IOException e) {
                // Closed.
                assertThat(socket.isClosed()).isTrue();
            }
        }

        private static byte[] answer(byte[] question) throws IOException {
            int end = HEADER_BYTES;
            while (question[end] != 0) {
                end += question[end] + 1;
            }
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            out.write(question, 0, 2);
            out.writeShort(0x8580);
            for (int count : new int[] {1, 2, 0, 0}) {
                out.writeShort(count);
            }
            out.write(question, HEADER_BYTES, end + 1 + FOOTER_BYTES - HEADER_BYTES);
            record(out, 8000, "chat-0", "chat", "svc");
            record(out, 9000, "gateway", "chat", "svc");
            return bytes.toByteArray();
        }

        private static void record(DataOutputStream out, int port, String... host) throws IOException {
            ByteArrayOutputStream data = new ByteArrayOutputStream();
            DataOutputStream fields = new DataOutputStream(data);
            fields.writeShort(0);
            fields.writeShort(10);
            fields.writeShort(port);
            for (String label : host) {
                fields.writeByte(label.length());
                fields.writeBytes(label);
            }
            fields.writeByte(0);
            // The question's name, by its place in the message.
            out.writeShort(0xC000 | HEADER_BYTES);
            out.writeShort(SRV);
            out.writeShort(1);
            out.writeInt(30);
            out.writeShort(data.size());
            data.writeTo(out);
        }

        @Override
        public void close() {
            socket.close();
        }
    }
}
