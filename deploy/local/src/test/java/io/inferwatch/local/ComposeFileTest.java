package io.inferwatch.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.jobs.health.HealthReporter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The compose file: its structure by the keys of the Compose specification that it uses, and what it says of our commands and Flink's settings. */
class ComposeFileTest {
    private static final Path DIRECTORY = DeploymentFiles.ROOT.resolve("compose");

    private static final Set<String> SERVICE_KEYS = Set.of(
            "image",
            "build",
            "command",
            "ports",
            "volumes",
            "environment",
            "secrets",
            "depends_on",
            "healthcheck",
            "restart",
            "profiles",
            "read_only",
            "tmpfs",
            "cap_drop",
            "security_opt",
            "extra_hosts",
            "mem_limit",
            "deploy");

    private static final Pattern VARIABLE = Pattern.compile("(?<!\\$)\\$\\{([A-Z_]+)");

    private final Map<String, Object> file =
            DeploymentFiles.documents(DIRECTORY.resolve("compose.yaml")).get(0);
    private final Map<String, Object> services = DeploymentFiles.map(file.get("services"));

    @Test
    void everyReferenceHasWhatItNames() {
        Set<String> top =
                file.keySet().stream().filter(key -> !key.startsWith("x-")).collect(Collectors.toSet());
        assertThat(top).isEqualTo(Set.of("name", "services", "volumes", "secrets"));
        services.forEach((name, value) -> {
            Map<String, Object> service = DeploymentFiles.map(value);
            assertThat(SERVICE_KEYS).as(name).containsAll(service.keySet());
            assertThat(service.get("image").toString()).as(name).matches("[a-z/-]+:.*\\d.*");
            DeploymentFiles.map(service.getOrDefault("depends_on", Map.of())).forEach((other, condition) -> {
                assertThat(services).as(name).containsKey(other);
                Object wanted = DeploymentFiles.map(condition).get("condition");
                assertThat(wanted).isIn("service_started", "service_healthy", "service_completed_successfully");
                if (wanted.equals("service_healthy")) {
                    assertThat(DeploymentFiles.map(services.get(other)))
                            .as(name)
                            .containsKey("healthcheck");
                }
            });
            for (Object secret : DeploymentFiles.list(service.getOrDefault("secrets", List.of()))) {
                assertThat(DeploymentFiles.map(file.get("secrets"))).as(name).containsKey(secret.toString());
            }
            for (Object volume : DeploymentFiles.list(service.getOrDefault("volumes", List.of()))) {
                String source = volume.toString().substring(0, volume.toString().indexOf(':'));
                if (source.startsWith("../grafana/")) {
                    // Dashboards are a part of their own.
                    continue;
                }
                if (source.startsWith(".")) {
                    assertThat(DIRECTORY.resolve(source).normalize()).as(name).exists();
                } else {
                    assertThat(DeploymentFiles.map(file.get("volumes")))
                            .as(name)
                            .containsKey(source);
                }
            }
        });
    }

    @Test
    void everyCommandIsOneOfOurs() {
        int commands = 0;
        for (Map.Entry<String, Object> entry : services.entrySet()) {
            Map<String, Object> service = DeploymentFiles.map(entry.getValue());
            if (service.get("image").toString().startsWith("inferwatch:")) {
                List<String> arguments = new ArrayList<>();
                DeploymentFiles.list(service.get("command")).forEach(argument -> arguments.add(resolved(argument)));
                DeploymentFiles.assertCommand(entry.getKey(), arguments);
                for (String argument : arguments) {
                    int secret = argument.indexOf("=/run/secrets/");
                    if (secret > 0) {
                        assertThat(DeploymentFiles.map(file.get("secrets")))
                                .containsKey(argument.substring(secret + "=/run/secrets/".length()));
                    }
                }
                commands++;
            }
        }
        assertThat(commands).isEqualTo(9);
    }

    @Test
    void flinkIsSetUpAsTheJobsNeedIt() {
        for (String name : List.of("jobmanager", "taskmanager")) {
            Map<String, Object> service = DeploymentFiles.map(services.get(name));
            String properties = DeploymentFiles.map(service.get("environment"))
                    .get("FLINK_PROPERTIES")
                    .toString()
                    .replace("$$", "$");
            Map<String, String> settings = new TreeMap<>();
            properties.lines().forEach(line -> {
                String[] parts = line.split(": ", 2);
                settings.put(parts[0], parts[1]);
            });
            DeploymentFiles.assertFlinkSettings(name, settings.keySet());
            assertThat(settings)
                    .containsAllEntriesOf(HealthReporter.configuration("kafka:9092", new Properties())
                            .toMap());
            assertThat(service.get("secrets").toString()).contains("influxdb-token");
        }
    }

    @Test
    void everyRouteOfAlertsHasAReceiver() {
        Map<String, Object> alertmanager = DeploymentFiles.documents(
                        DeploymentFiles.ROOT.resolve("alertmanager/alertmanager.yml"))
                .get(0);
        Set<Object> receivers = DeploymentFiles.list(alertmanager.get("receivers")).stream()
                .map(receiver -> DeploymentFiles.map(receiver).get("name"))
                .collect(Collectors.toSet());
        Map<String, Object> root = DeploymentFiles.map(alertmanager.get("route"));
        assertThat(receivers).contains(root.get("receiver"));
        for (Object route : DeploymentFiles.list(root.get("routes"))) {
            assertThat(receivers).contains(DeploymentFiles.map(route).get("receiver"));
        }
    }

    @Test
    void theExampleSetsEveryVariableWithoutADefault() throws Exception {
        String text = Files.readString(DIRECTORY.resolve("compose.yaml"));
        Set<String> used = new TreeSet<>();
        Matcher variables = VARIABLE.matcher(text);
        while (variables.find()) {
            used.add(variables.group(1));
        }
        DeploymentFiles.map(file.get("secrets"))
                .values()
                .forEach(secret ->
                        used.add(DeploymentFiles.map(secret).get("environment").toString()));
        Set<String> set = Files.readAllLines(DIRECTORY.resolve("env.example")).stream()
                .filter(line -> line.contains("=") && !line.startsWith("#"))
                .map(line -> line.substring(0, line.indexOf('=')))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(set).isEqualTo(used);
    }

    /** The default where a variable has one. */
    private static String resolved(Object argument) {
        return argument.toString().replaceAll("\\$\\{[A-Z_]+:-([^}]*)}", "$1");
    }
}
