package io.inferwatch.local.docs;

import io.inferwatch.jobs.MeasureSettings;
import io.inferwatch.jobs.plan.Fleet;
import io.inferwatch.probes.admin.ListenAddress;
import io.inferwatch.probes.engine.EngineSettings;
import io.inferwatch.probes.gpu.GpuSettings;
import io.inferwatch.probes.identity.IdentityRules;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.probes.otlp.OtlpSettings;
import io.inferwatch.probes.proxy.ProxyFile;
import io.inferwatch.schemas.catalogue.ConfigFile;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.schemas.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.AbstractMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The keys of every settings file: which there are, what their values must be and their defaults by what reads them, which is asked to read an example that
 * shows all of them; what they mean by the example's comments. A key that the example lacks, one that nobody reads, and one without a meaning are errors.
 */
public final class SettingsReference {
    private static final ListenAddress ANYWHERE = ListenAddress.parse("0");
    private static final Set<String> OF_REPLICA = ofReplica();
    private static final String REPLICA_KEYS = "the keys of a [replica](#proxy)";
    private static final String AS_ENGINE = "as of the [engine probe](#engine-probe)";

    /** Here the keys of a replica are explained. */
    private static final File PROXY = new File(
            "proxy.yaml",
            "Proxy",
            "probe proxy --config",
            root -> ProxyFile.of(root, Map.of()),
            engineIn("otlp.engine"));

    private static final List<File> FILES = List.of(
            PROXY,
            new File(
                    "otlp.yaml",
                    "OTLP probe",
                    "probe otlp --config",
                    SettingsReference::readOtlp,
                    withIdentity(engineIn("engine"))),
            new File("engine.yaml", "Engine probe", "probe engine --config", SettingsReference::readEngine, Map.of()),
            new File(
                    "gpu.yaml",
                    "GPU probe",
                    "probe gpu --config",
                    root -> GpuSettings.of(root, Duration.ofSeconds(1), true, Optional.empty(), Map.of()),
                    Map.of()),
            new File("measure.yaml", "MeasureJob", "job measure --settings", MeasureSettings::of, Map.of()),
            new File(
                    "config.yaml",
                    "Running jobs",
                    "config set",
                    root -> ConfigFile.of(root, MetricCatalogue.shipped()),
                    Map.of()),
            new File(
                    "fleet.yaml",
                    "Fleet to plan for",
                    "setup plan",
                    root -> Fleet.of(root, MetricCatalogue.shipped()),
                    Map.of()));

    private final Path examples;

    /**
     * A settings file.
     *
     * @param name of its example
     * @param command that takes it, and how
     * @param reader what reads it
     * @param elsewhere sections that another file's table explains, and where
     */
    private record File(
            String name, String title, String command, Consumer<Settings> reader, Map<String, String> elsewhere) {}

    public SettingsReference(Path examples) {
        this.examples = examples;
    }

    public String text() {
        StringBuilder text = new StringBuilder();
        for (File file : FILES) {
            text.append("### ").append(file.title).append("\n\n");
            text.append("`inferwatch ").append(file.command).append(" FILE`; an example with all keys: [settings/");
            text.append(file.name).append("](settings/").append(file.name).append(").\n\n");
            text.append(table(file)).append('\n');
        }
        return text.toString();
    }

    /** The variables that say what the section {@code replica} leaves open. */
    public static Set<String> replicaVariables() {
        Set<String> asked = new TreeSet<>();
        ReplicaIdentity.of(Settings.parse("replica", ""), new AbstractMap<>() {
            @Override
            public String get(Object variable) {
                asked.add(variable.toString());
                return null;
            }

            @Override
            public Set<Entry<String, String>> entrySet() {
                return Set.of();
            }
        });
        return asked;
    }

    private String table(File file) {
        String yaml = read(examples.resolve(file.name));
        SettingsExample example = new SettingsExample(yaml);
        List<Settings.Key> keys = keys(file, yaml);
        String beyond = example.beyond(keys.stream().map(Settings.Key::path).toList());
        require(beyond.isEmpty(), file, "shows what nobody reads: " + beyond);
        Set<String> replicas = replicas(keys);
        if (file.equals(PROXY)) {
            replicas.remove("replica");
        }
        Set<String> told = new LinkedHashSet<>();
        MarkdownTable table = new MarkdownTable("key", "must be", "default", "meaning");
        for (Settings.Key key : keys) {
            boolean isElsewhere = addSections(file, key, example, replicas, told, table);
            String meaning = example.meaning(key.path());
            if (isElsewhere || (meaning.isEmpty() && isOfReplica(key.path(), replicas))) {
                continue;
            }
            require(!key.mustBe().isEmpty(), file, "must show " + key.path());
            require(
                    !meaning.isEmpty() || told.stream().anyMatch(section -> isWithin(key.path(), section)),
                    file,
                    "must say what " + key.path() + " means");
            table.row(
                    MarkdownTable.code(key.path()),
                    key.mustBe().replace(" such as 10s", ""),
                    whenAbsent(key, meaning),
                    meaning);
        }
        return table.toString();
    }

    /** A row for each section above the key that has something to say and was not told yet. Whether one of them is told elsewhere. */
    private static boolean addSections(
            File file,
            Settings.Key key,
            SettingsExample example,
            Set<String> replicas,
            Set<String> told,
            MarkdownTable table) {
        for (int dot = key.path().indexOf('.'); dot > 0; dot = key.path().indexOf('.', dot + 1)) {
            String section = key.path().substring(0, dot);
            String elsewhere = file.elsewhere.getOrDefault(section, "");
            String keysOf = replicas.contains(section) ? REPLICA_KEYS : "";
            String meaning = join(example.meaning(section), join(elsewhere, keysOf));
            if (!meaning.isEmpty() && told.add(section)) {
                table.row(MarkdownTable.code(section), "", "", meaning);
            }
            if (!elsewhere.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** What the comment says of a key's absence goes before the default, which may be this machine's. */
    private static String whenAbsent(Settings.Key key, String meaning) {
        if (meaning.contains("otherwise")) {
            return "";
        }
        boolean isName = key.path().endsWith(Settings.NAME);
        return key.isRequired() && !isName ? "required" : MarkdownTable.code(key.whenAbsent());
    }

    private List<Settings.Key> keys(File file, String yaml) {
        try {
            Path temporary = Files.createTempDirectory("settings");
            // Its reader would make it where the example says.
            Path salt = temporary.resolve("salt");
            try {
                Settings root = Settings.parse(file.name, yaml.replace("/etc/inferwatch/salt", salt.toString()));
                file.reader.accept(root);
                check(file, root);
                return root.keys();
            } finally {
                Files.deleteIfExists(salt);
                Files.delete(temporary);
            }
        } catch (IOException e) {
            throw new AssertionError(file.name + " cannot be read", e);
        }
    }

    /** Certificates need not be there. */
    private static void check(File file, Settings root) {
        try {
            root.check();
        } catch (InvalidSettingsException e) {
            List<String> others = e.problems().stream()
                    .filter(problem -> !problem.contains("must be a readable PEM file"))
                    .toList();
            require(others.isEmpty(), file, String.join("; ", others));
        }
    }

    /** The sections with all keys of a replica. */
    private static Set<String> replicas(List<Settings.Key> keys) {
        Set<String> paths = new LinkedHashSet<>();
        keys.forEach(key -> paths.add(key.path()));
        Set<String> sections = new LinkedHashSet<>();
        for (String path : paths) {
            String section = path.substring(0, Math.max(0, path.lastIndexOf('.')));
            if (!section.isEmpty() && OF_REPLICA.stream().allMatch(key -> paths.contains(section + "." + key))) {
                sections.add(section);
            }
        }
        return sections;
    }

    private static boolean isOfReplica(String path, Set<String> replicas) {
        return replicas.stream().filter(section -> isWithin(path, section)).anyMatch(section -> {
            String key = path.substring(section.length() + 1);
            return key.startsWith("configuration.") || OF_REPLICA.contains(key);
        });
    }

    private static Set<String> ofReplica() {
        Settings replica = Settings.parse("replica", "");
        ReplicaIdentity.of(replica, Map.of());
        return replica.keys().stream().map(Settings.Key::path).collect(Collectors.toUnmodifiableSet());
    }

    private static void readOtlp(Settings root) {
        IdentityRules identity = IdentityRules.of(root.section("identity"));
        OtlpSettings.of(root, ANYWHERE, ANYWHERE, Optional.empty(), identity);
    }

    private static void readEngine(Settings root) {
        EngineSettings.of(root, Duration.ofSeconds(10), List.of());
        ReplicaIdentity.of(root.section("replica"), Map.of());
    }

    private static Map<String, String> engineIn(String section) {
        Map<String, String> elsewhere = new HashMap<>();
        for (String part : List.of("targets", "discover", "scrape", "mappings")) {
            elsewhere.put(section + "." + part, AS_ENGINE);
        }
        return elsewhere;
    }

    private static Map<String, String> withIdentity(Map<String, String> others) {
        Map<String, String> elsewhere = new HashMap<>(others);
        elsewhere.put("identity", "as of the [proxy](#proxy)");
        return elsewhere;
    }

    private static boolean isWithin(String path, String section) {
        return path.startsWith(section + ".");
    }

    private static String join(String first, String second) {
        return first + (first.isEmpty() || second.isEmpty() ? "" : "; ") + second;
    }

    private static void require(boolean holds, File file, String problem) {
        if (!holds) {
            throw new AssertionError("deploy/docs/settings/" + file.name + " " + problem);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(file + " cannot be read", e);
        }
    }
}
