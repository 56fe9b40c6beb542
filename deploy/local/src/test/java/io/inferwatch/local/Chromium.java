package io.inferwatch.local;

import io.inferwatch.servers.Availability;
import io.inferwatch.servers.ServerStartException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/**
 * Chromium and its driver: on the PATH, else Debian's packages with what they need, unpacked into the cache directory without root. With {@code CI=true} in the environment it is an
 * error that there is neither.
 *
 * @param libraries where the unpacked packages' libraries lie; empty for an installed one
 */
record Chromium(Path browser, Path driver, List<Path> libraries) {
    private static final List<String> PACKAGES = List.of("chromium", "chromium-driver");

    /** Warns of every browser that is newer than Selenium, whose DevTools bindings are not used here. Held, or the setting would be collected. */
    private static final Logger SELENIUM = Logger.getLogger("org.openqa.selenium");

    static {
        SELENIUM.setLevel(Level.SEVERE);
    }

    static Availability<Chromium> find() {
        Optional<Chromium> found = onPath().or(Chromium::inCache);
        if (found.isEmpty() && "true".equals(System.getenv("CI"))) {
            throw new ServerStartException(
                    "CI=true, but Chromium is not there (Debian: apt-get install chromium chromium-driver)");
        }
        return found.<Availability<Chromium>>map(Availability.Found::new)
                .orElseGet(
                        () -> new Availability.Missing<>(
                                "no Chromium on the PATH, nor Debian's package to unpack (Debian: apt-get install chromium chromium-driver)"));
    }

    /** A browser without a window, which keeps what pages say on their console. */
    ChromeDriver open() {
        ChromeDriverService.Builder service = new ChromeDriverService.Builder()
                .usingDriverExecutable(driver.toFile())
                .usingAnyFreePort();
        if (!libraries.isEmpty()) {
            service.withEnvironment(Map.of(
                    "LD_LIBRARY_PATH",
                    String.join(
                            File.pathSeparator,
                            libraries.stream().map(Path::toString).toList())));
        }
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(browser.toFile());
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                "--lang=en");
        options.setCapability("goog:loggingPrefs", logs);
        return new ChromeDriver(service.build(), options);
    }

    private static Optional<Chromium> onPath() {
        Optional<Path> browser = program("chromium").or(() -> program("google-chrome"));
        Optional<Path> driver = program("chromedriver");
        return browser.isPresent() && driver.isPresent()
                ? Optional.of(new Chromium(browser.get(), driver.get(), List.of()))
                : Optional.empty();
    }

    private static Optional<Path> program(String name) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static Optional<Chromium> inCache() {
        try {
            Path home = cache().resolve("chromium");
            if (!Files.isDirectory(home)) {
                unpack(home);
            }
            Path libraries = home.resolve("usr/lib/x86_64-linux-gnu");
            return Optional.of(new Chromium(
                            home.resolve("usr/lib/chromium/chromium"),
                            home.resolve("usr/bin/chromedriver"),
                            List.of(libraries, libraries.resolve("pulseaudio"))))
                    .filter(chromium -> Files.isExecutable(chromium.browser) && Files.isExecutable(chromium.driver));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Both and all that they need and this machine lacks; into a directory beside, so that a broken download leaves none. */
    private static void unpack(Path home) throws IOException {
        Path work = Files.createTempDirectory(Files.createDirectories(cache()), "chromium-");
        List<String> wanted = new ArrayList<>();
        List<String> simulate = new ArrayList<>(List.of("apt-get", "-s", "--no-install-recommends", "install"));
        simulate.addAll(PACKAGES);
        for (String line : run(work, simulate)) {
            if (line.startsWith("Inst ")) {
                wanted.add(line.split(" ", -1)[1]);
            }
        }
        List<String> download = new ArrayList<>(List.of("apt-get", "-q", "-o", "APT::Sandbox::User=root", "download"));
        download.addAll(wanted);
        run(work, download);
        Path unpacked = Files.createDirectory(work.resolve("unpacked"));
        List<Path> archives;
        try (Stream<Path> files = Files.list(work)) {
            archives = files.filter(file -> file.toString().endsWith(".deb")).toList();
        }
        for (Path archive : archives) {
            run(work, List.of("dpkg", "-x", archive.toString(), unpacked.toString()));
            Files.delete(archive);
        }
        Files.move(unpacked, home);
    }

    private static List<String> run(Path directory, List<String> command) throws IOException {
        Path output = directory.resolve("output.log");
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (!process.waitFor(3, TimeUnit.MINUTES) || process.exitValue() != 0) {
                throw new IOException(command + " failed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(command + " was interrupted", e);
        } finally {
            process.destroyForcibly();
        }
        return Files.readAllLines(output, StandardCharsets.UTF_8);
    }

    private static Path cache() {
        String configured = System.getenv().getOrDefault("XDG_CACHE_HOME", "");
        Path root = configured.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(configured);
        return root.resolve("inferwatch");
    }
}
