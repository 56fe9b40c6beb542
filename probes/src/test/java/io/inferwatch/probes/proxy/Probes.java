package io.inferwatch.probes.proxy;

import static org.awaitility.Awaitility.await;

import io.inferwatch.probes.EventList;
import io.inferwatch.probes.admin.ListenAddress;
import io.inferwatch.probes.identity.IdentityRules;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.probes.otlp.OtlpSettings;
import io.inferwatch.probes.reports.ReportSettings;
import io.inferwatch.probes.tls.ClientTls;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.settings.Settings;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Probes on free ports with a publisher that keeps what it is given. */
final class Probes {
    private Probes() {}

    static ProxyProbe start(URI upstream, EventList publisher, Path directory) {
        return start(settings(upstream, Duration.ofSeconds(30)), publisher, directory);
    }

    static ProxyProbe start(ProxySettings settings, EventList publisher, Path directory) {
        Settings yaml = Settings.parse(
                "test",
                "{replica: {name: chat-0, version: v7}, identity: {salt-file: '" + directory.resolve("salt") + "'}}");
        ReplicaIdentity replica = ReplicaIdentity.of(yaml.section("replica"), Map.of());
        IdentityRules rules = IdentityRules.of(yaml.section("identity"));
        yaml.check();
        return ProxyProbe.start(
                settings,
                replica,
                rules,
                publisher,
                ListenAddress.parse("0"),
                ReportSettings.byDefault(),
                Optional.empty());
    }

    /** One that takes the server's spans, too. */
    static ProxyProbe startWithOtlp(URI upstream, EventList publisher, Path directory) {
        Settings yaml = Settings.parse("test", """
                replica: {name: chat-0, version: v7}
                identity: {salt-file: '%s'}
                otlp: {http-listen: "0", grpc-listen: "0", join: {patience: 4s}}
                """.formatted(directory.resolve("salt")));
        ReplicaIdentity replica = ReplicaIdentity.of(yaml.section("replica"), Map.of());
        IdentityRules rules = IdentityRules.of(yaml.section("identity"));
        OtlpSettings otlp = OtlpSettings.inProxy(yaml.section("otlp"), rules, replica);
        yaml.check();
        return ProxyProbe.start(
                settings(upstream, Duration.ofSeconds(30)),
                replica,
                rules,
                publisher,
                ListenAddress.parse("0"),
                ReportSettings.byDefault(),
                Optional.of(otlp));
    }

    /** One that asks for usage where clients do not. */
    static ProxyProbe startWithUsage(URI upstream, EventList publisher, Path directory) {
        return start(
                new ProxySettings(
                        ListenAddress.parse("0"),
                        upstream,
                        Optional.empty(),
                        ClientTls.SYSTEM,
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(30),
                        ProxySettings.IDLE_TIMEOUT,
                        2,
                        true),
                publisher,
                directory);
    }

    static ProxySettings settings(URI upstream, Duration upstreamTimeout) {
        return new ProxySettings(
                ListenAddress.parse("0"),
                upstream,
                Optional.empty(),
                ClientTls.SYSTEM,
                Duration.ofSeconds(5),
                upstreamTimeout,
                ProxySettings.IDLE_TIMEOUT,
                2,
                false);
    }

    /** The only event, once it is there. */
    static RequestEvent event(EventList publisher) {
        return events(publisher, 1).get(0);
    }

    static List<RequestEvent> events(EventList publisher, int count) {
        await().atMost(Duration.ofSeconds(10)).until(() -> publisher.events().size() >= count);
        return publisher.events();
    }
}
