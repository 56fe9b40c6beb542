package io.inferwatch.viewer;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/** The page's files, read from the class path once. What is not listed here is not served. */
final class PageFiles {
    /** A file as it is sent. */
    record PageFile(String type, byte[] content) {}

    private final Map<String, PageFile> files = new LinkedHashMap<>();

    PageFiles() {
        add("/", "page/index.html", "text/html; charset=utf-8");
        add("/page.css", "page/page.css", "text/css; charset=utf-8");
        add("/icon.svg", "page/icon.svg", "image/svg+xml");
        for (String module : new String[] {"main", "format", "data", "charts", "panels", "choices"}) {
            add("/" + module + ".js", "page/" + module + ".js", "text/javascript; charset=utf-8");
        }
        String uplot = "/META-INF/resources/webjars/uplot/" + uplotVersion() + "/dist/";
        add("/uPlot.esm.js", uplot + "uPlot.esm.js", "text/javascript; charset=utf-8");
        add("/uPlot.min.css", uplot + "uPlot.min.css", "text/css; charset=utf-8");
    }

    Optional<PageFile> find(String path) {
        return Optional.ofNullable(files.get(path));
    }

    private void add(String path, String resource, String type) {
        files.put(path, new PageFile(type, read(resource)));
    }

    private static String uplotVersion() {
        Properties properties = new Properties();
        try (InputStream in = open("/META-INF/maven/org.webjars.npm/uplot/pom.properties")) {
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version");
    }

    private static byte[] read(String resource) {
        try (InputStream in = open(resource)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(resource + " cannot be read", e);
        }
    }

    private static InputStream open(String resource) {
        InputStream in = PageFiles.class.getResourceAsStream(resource);
        if (in == null) {
            throw new IllegalStateException(resource + " is not on the class path");
        }
        return in;
    }
}
