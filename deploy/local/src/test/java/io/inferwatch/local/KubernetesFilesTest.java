package io.inferwatch.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.MapperConfig;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.ConfigMapVolumeSource;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.openshift.api.model.monitoring.v1.PodMonitor;
import io.inferwatch.jobs.JobMain;
import io.inferwatch.jobs.MeasureSettings;
import io.inferwatch.jobs.health.HealthReporter;
import io.inferwatch.probes.engine.EngineSettings;
import io.inferwatch.probes.engine.ScrapeSettings;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.schemas.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.flink.kubernetes.operator.api.FlinkDeployment;
import org.apache.flink.kubernetes.operator.api.spec.FlinkDeploymentSpec;
import org.apache.flink.kubernetes.operator.api.spec.UpgradeMode;
import org.junit.jupiter.api.Test;

/**
 * The files for Kubernetes, read by the classes of Kubernetes' own resources, of the Flink operator and of the Prometheus operator, which must know
 * every key; and what only the project can know of them: that commands, settings, ports and variables are there.
 */
class KubernetesFilesTest {
    private static final Path DIRECTORY = DeploymentFiles.ROOT.resolve("kubernetes");

    /** The newest Flink that the operator's classes on Maven Central know; the files name the one that the jobs are built with. */
    private static final String KNOWN_FLINK = "v1_20";

    private static final Map<String, Class<? extends HasMetadata>> KINDS = Map.ofEntries(
            Map.entry("Namespace", Namespace.class),
            Map.entry("ServiceAccount", ServiceAccount.class),
            Map.entry("Role", Role.class),
            Map.entry("RoleBinding", RoleBinding.class),
            Map.entry("Job", Job.class),
            Map.entry("Deployment", Deployment.class),
            Map.entry("StatefulSet", StatefulSet.class),
            Map.entry("DaemonSet", DaemonSet.class),
            Map.entry("NetworkPolicy", NetworkPolicy.class),
            Map.entry("PodMonitor", PodMonitor.class),
            Map.entry("FlinkDeployment", FlinkDeployment.class));

    private static final ObjectMapper STRICT = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .annotationIntrospector(new EveryKeyCounts())
            .build();

    /** The classes keep keys that they do not know, or pass over them; here each is an error. */
    private static final class EveryKeyCounts extends JacksonAnnotationIntrospector {
        private static final long serialVersionUID = 1;

        @Override
        public Boolean hasAnySetter(Annotated annotated) {
            return false;
        }

        @Override
        public JsonIgnoreProperties.Value findPropertyIgnoralByName(MapperConfig<?> config, Annotated annotated) {
            return JsonIgnoreProperties.Value.empty();
        }
    }

    private record Pod(String where, PodTemplateSpec template) {
        List<Container> containers() {
            List<Container> all = new ArrayList<>(spec().getContainers());
            all.addAll(spec().getInitContainers());
            return all;
        }

        PodSpec spec() {
            return template.getSpec();
        }
    }

    private final Map<String, HasMetadata> resources = resources();

    @Test
    void everyKeyIsKnownToItsResource() {
        assertThat(resources.keySet())
                .contains(
                        "FlinkDeployment/inferwatch-measure",
                        "FlinkDeployment/inferwatch-detect",
                        "FlinkDeployment/inferwatch-store")
                .hasSizeGreaterThan(15);
        Map<String, Object> wrong = DeploymentFiles.documents(DIRECTORY.resolve("base/gpu-probe.yaml"))
                .get(0);
        DeploymentFiles.map(wrong.get("spec")).put("replica", 1);
        assertThatThrownBy(() -> parse(wrong)).hasMessageContaining("replica");
        Map<String, Object> wrongFlink =
                DeploymentFiles.documents(DIRECTORY.resolve("base/store.yaml")).get(0);
        DeploymentFiles.map(DeploymentFiles.map(wrongFlink.get("spec")).get("job"))
                .put("jarUri", "x");
        assertThatThrownBy(() -> parse(wrongFlink)).hasMessageContaining("jarUri");
    }

    @Test
    void kustomizationsNameEveryFileAndNoOther() throws IOException {
        for (String directory : List.of("base", "serving", "proxy-sidecar")) {
            Map<String, Object> kustomization = DeploymentFiles.documents(
                            DIRECTORY.resolve(directory).resolve("kustomization.yaml"))
                    .get(0);
            Set<String> named = new HashSet<>(Set.of("kustomization.yaml"));
            for (Object resource : DeploymentFiles.list(kustomization.getOrDefault("resources", List.of()))) {
                named.add(resource.toString());
            }
            for (Object patch : DeploymentFiles.list(kustomization.getOrDefault("patches", List.of()))) {
                named.add(DeploymentFiles.map(patch).get("path").toString());
            }
            for (Object generator : DeploymentFiles.list(kustomization.getOrDefault("configMapGenerator", List.of()))) {
                for (Object file :
                        DeploymentFiles.list(DeploymentFiles.map(generator).get("files"))) {
                    named.add(file.toString().substring(file.toString().indexOf('=') + 1));
                }
            }
            assertThat(files(directory)).as(directory).isEqualTo(named);
        }
    }

    @Test
    void everyCommandIsOneOfOurs() {
        for (Pod pod : pods()) {
            for (Container container : pod.containers()) {
                if (container.getImage() != null) {
                    DeploymentFiles.assertCommand(pod.where, container.getArgs());
                    assertReadableFiles(pod, container.getArgs(), container);
                }
            }
        }
        for (FlinkDeployment flink : flinkDeployments()) {
            FlinkDeploymentSpec spec = flink.getSpec();
            assertThat(spec.getJob().getEntryClass()).isEqualTo(JobMain.class.getName());
            assertThat(JobMain.parse(spec.getJob().getArgs()).jobName())
                    .isEqualTo("Inferwatch " + flink.getMetadata().getName().substring("inferwatch-".length()));
            PodTemplateSpec template = spec.getPodTemplate();
            assertReadableFiles(
                    new Pod(flink.getMetadata().getName(), template),
                    List.of(spec.getJob().getArgs()),
                    template.getSpec().getContainers().get(0));
        }
    }

    @Test
    void settingsAreUnderstood() {
        Path settings = DIRECTORY.resolve("base/settings");
        assertThat(MeasureSettings.read(settings.resolve("measure.yaml"))).isNotNull();
        Settings engine = Settings.read(settings.resolve("engine.yaml"));
        EngineSettings read = EngineSettings.of(engine, ScrapeSettings.DEFAULT_INTERVAL, List.of());
        engine.check();
        assertThat(read.sources()).hasSize(1);
    }

    @Test
    void flinkIsSetUpAsTheJobsNeedIt() {
        Map<String, String> reporter = HealthReporter.configuration("kafka-bootstrap.kafka:9092", new Properties())
                .toMap();
        for (FlinkDeployment flink : flinkDeployments()) {
            Map<String, String> settings = new TreeMap<>(flink.getSpec().getFlinkConfiguration());
            reporter.forEach(
                    (key, value) -> assertThat(settings.get(key)).as(key).contains(value));
            settings.keySet().removeIf(key -> key.startsWith("kubernetes.operator."));
            DeploymentFiles.assertFlinkSettings(flink.getMetadata().getName(), settings.keySet());
            assertThat(settings).containsEntry("state.backend.type", "rocksdb").containsKey("high-availability.type");
            assertThat(List.of(
                            settings.get("execution.checkpointing.dir"),
                            settings.get("execution.checkpointing.savepoint-dir"),
                            settings.get("high-availability.storageDir")))
                    .allMatch(directory -> directory.startsWith("s3://"))
                    .doesNotHaveDuplicates();
            assertThat(flink.getSpec().getJob().getUpgradeMode()).isEqualTo(UpgradeMode.SAVEPOINT);
            assertThat(flink.getSpec().getJob().getAllowNonRestoredState()).isFalse();
        }
    }

    @Test
    void everyVariableChangesSomething() {
        String source = launcher();
        ReplicaIdentity without = identity(Map.of());
        for (Pod pod : pods()) {
            for (Container container : pod.containers()) {
                for (EnvVar variable : container.getEnv()) {
                    String name = variable.getName();
                    if (name.startsWith("INFERWATCH_JAVA_OPTS")) {
                        assertThat(source).contains(name);
                    } else if (!name.startsWith("NVIDIA_")) {
                        assertThat(identity(Map.of(name, "told")))
                                .as(pod.where + ": " + name)
                                .isNotEqualTo(without);
                    }
                }
            }
        }
    }

    @Test
    void nothingRunsAsRootOrWritesItsImage() {
        List<Pod> all = new ArrayList<>(pods());
        flinkDeployments()
                .forEach(flink -> all.add(
                        new Pod(flink.getMetadata().getName(), flink.getSpec().getPodTemplate())));
        for (Pod pod : all) {
            PodSecurityContext shared = pod.spec().getSecurityContext();
            for (Container container : pod.containers()) {
                String where = pod.where + "/" + container.getName();
                SecurityContext own = container.getSecurityContext();
                assertThat((shared != null && Boolean.TRUE.equals(shared.getRunAsNonRoot()))
                                || Boolean.TRUE.equals(own.getRunAsNonRoot()))
                        .as(where)
                        .isTrue();
                assertThat(own.getReadOnlyRootFilesystem()).as(where).isTrue();
                assertThat(own.getAllowPrivilegeEscalation()).as(where).isFalse();
                assertThat(own.getCapabilities().getDrop()).as(where).containsExactly("ALL");
                if (container.getImage() != null) {
                    assertThat(container.getResources().getLimits()).as(where).containsKey("memory");
                    assertThat(container.getResources().getRequests()).as(where).containsKeys("memory", "cpu");
                }
                Set<String> volumes = new HashSet<>();
                pod.spec().getVolumes().forEach(volume -> volumes.add(volume.getName()));
                assertThat(container.getVolumeMounts().stream().map(VolumeMount::getName))
                        .as(where)
                        .isSubsetOf(volumes)
                        .isNotEmpty();
            }
        }
    }

    @Test
    void portsAreThoseThatCommandsListenOnAndPoliciesOpen() {
        Set<Integer> opened = new HashSet<>();
        NetworkPolicy metrics = (NetworkPolicy) resources.get("NetworkPolicy/inferwatch-metrics");
        metrics.getSpec().getIngress().forEach(rule -> rule.getPorts()
                .forEach(port -> opened.add(port.getPort().getIntVal())));
        for (Pod pod : pods()) {
            for (Container container : pod.containers()) {
                for (ContainerPort port : container.getPorts()) {
                    String option = port.getName().equals("admin") ? "--admin-listen" : "--listen";
                    assertThat(container.getArgs())
                            .as(pod.where)
                            .contains(option + "=0.0.0.0:" + port.getContainerPort());
                    if (!pod.where.startsWith("StatefulSet")) {
                        assertThat(opened).as(pod.where).contains(port.getContainerPort());
                    }
                }
            }
        }
        for (FlinkDeployment flink : flinkDeployments()) {
            int port =
                    Integer.parseInt(flink.getSpec().getFlinkConfiguration().get("metrics.reporter.prometheus.port"));
            assertThat(opened).contains(port);
            assertThat(flink.getSpec()
                            .getPodTemplate()
                            .getSpec()
                            .getContainers()
                            .get(0)
                            .getPorts()
                            .get(0)
                            .getContainerPort())
                    .isEqualTo(port);
        }
    }

    /** What options name as files must be mounted: a key of a ConfigMap that a kustomization makes, or of a secret. */
    private static void assertReadableFiles(Pod pod, List<String> arguments, Container container) {
        Map<String, Volume> volumes = new HashMap<>();
        pod.spec().getVolumes().forEach(volume -> volumes.put(volume.getName(), volume));
        for (String argument : arguments) {
            String value = argument.substring(argument.indexOf('=') + 1);
            if (!value.startsWith("/")) {
                continue;
            }
            VolumeMount mount = container.getVolumeMounts().stream()
                    .filter(candidate -> value.startsWith(candidate.getMountPath()))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(pod.where + ": nothing is mounted at " + value));
            ConfigMapVolumeSource configMap = volumes.get(mount.getName()).getConfigMap();
            if (configMap != null) {
                assertThat(generatedKeys().get(configMap.getName()))
                        .as(pod.where + ": " + value)
                        .contains(value.substring(mount.getMountPath().length() + 1));
            }
        }
    }

    private static Map<String, Set<String>> generatedKeys() {
        Map<String, Set<String>> keys = new HashMap<>();
        Map<String, Object> base = DeploymentFiles.documents(DIRECTORY.resolve("base/kustomization.yaml"))
                .get(0);
        for (Object generator : DeploymentFiles.list(base.get("configMapGenerator"))) {
            Map<String, Object> map = DeploymentFiles.map(generator);
            Set<String> names = new HashSet<>();
            DeploymentFiles.list(map.get("files"))
                    .forEach(file -> names.add(
                            file.toString().substring(0, file.toString().indexOf('='))));
            keys.put(map.get("name").toString(), names);
        }
        return keys;
    }

    private static ReplicaIdentity identity(Map<String, String> environment) {
        Map<String, String> all = new HashMap<>(Map.of("INFERWATCH_REPLICA", "replica-0"));
        all.putAll(environment);
        return ReplicaIdentity.of(Settings.parse("test", ""), all);
    }

    private static String launcher() {
        try {
            return Files.readString(DeploymentFiles.ROOT.resolve("images/inferwatch.sh"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private List<FlinkDeployment> flinkDeployments() {
        return resources.values().stream()
                .filter(FlinkDeployment.class::isInstance)
                .map(FlinkDeployment.class::cast)
                .toList();
    }

    private List<Pod> pods() {
        List<Pod> pods = new ArrayList<>();
        resources.forEach((name, resource) -> {
            if (resource instanceof Job job) {
                pods.add(new Pod(name, job.getSpec().getTemplate()));
            } else if (resource instanceof Deployment deployment) {
                pods.add(new Pod(name, deployment.getSpec().getTemplate()));
            } else if (resource instanceof DaemonSet daemonSet) {
                pods.add(new Pod(name, daemonSet.getSpec().getTemplate()));
            } else if (resource instanceof StatefulSet statefulSet) {
                pods.add(new Pod(name, statefulSet.getSpec().getTemplate()));
            }
        });
        assertThat(pods).hasSize(5);
        return pods;
    }

    private static Map<String, HasMetadata> resources() {
        Map<String, HasMetadata> resources = new TreeMap<>();
        for (String directory : List.of("base", "serving", "proxy-sidecar")) {
            for (String file : files(directory)) {
                if (file.equals("kustomization.yaml") || file.contains("/")) {
                    continue;
                }
                for (Map<String, Object> document :
                        DeploymentFiles.documents(DIRECTORY.resolve(directory).resolve(file))) {
                    HasMetadata resource = parse(document);
                    String name =
                            resource.getKind() + "/" + resource.getMetadata().getName();
                    assertThat(resources.put(directory.equals("serving") ? "serving/" + name : name, resource))
                            .as(name + " twice")
                            .isNull();
                }
            }
        }
        return resources;
    }

    private static HasMetadata parse(Map<String, Object> document) {
        Class<? extends HasMetadata> type = KINDS.get(document.get("kind").toString());
        assertThat(type).as("kind %s", document.get("kind")).isNotNull();
        Map<String, Object> known = new HashMap<>(document);
        if (type == FlinkDeployment.class) {
            Map<String, Object> spec = new HashMap<>(DeploymentFiles.map(document.get("spec")));
            assertThat(spec.put("flinkVersion", KNOWN_FLINK)).isEqualTo("v2_2");
            known.put("spec", spec);
        }
        return STRICT.convertValue(known, type);
    }

    private static Set<String> files(String directory) {
        Path root = DIRECTORY.resolve(directory);
        try (Stream<Path> files = Files.walk(root)) {
            Set<String> names = new HashSet<>();
            files.filter(Files::isRegularFile)
                    .forEach(file -> names.add(root.relativize(file).toString()));
            return names;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
