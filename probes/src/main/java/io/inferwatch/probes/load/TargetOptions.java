package io.inferwatch.probes.load;

import io.inferwatch.probes.proxy.ServerUriConverter;
import io.inferwatch.probes.tls.ClientTls;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Who is asked, and how; to be mixed in. */
final class TargetOptions {
    @Option(
            names = "--url",
            split = ",",
            paramLabel = "URL",
            converter = ServerUriConverter.class,
            description = "The server, e.g. http://localhost:8000; several, with commas, are asked in turn.")
    private List<URI> servers = new ArrayList<>();

    @Option(
            names = "--endpoint",
            paramLabel = "chat|completions",
            defaultValue = "chat",
            converter = ApiConverter.class,
            description = "What is asked for. Default: ${DEFAULT-VALUE}.")
    private Api api = Api.CHAT;

    @Option(names = "--model", paramLabel = "NAME", description = "Model that requests name. Default: none.")
    private @Nullable String model;

    @Option(
            names = "--header",
            paramLabel = "NAME:VALUE",
            description = "Added to each request; may be given several times.")
    private List<String> headers = new ArrayList<>();

    @Option(
            names = "--api-key-file",
            paramLabel = "FILE",
            description = "Key that requests bear as their authorization. Never printed.")
    private @Nullable Path apiKeyFile;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description = "Authority of the server's certificate, PEM. Default: the Java runtime's.")
    private @Nullable Path authority;

    @Option(
            names = "--source-address",
            split = ",",
            paramLabel = "ADDRESS",
            description = "Addresses of this host to connect from, with commas: each has ports of its own.")
    private List<String> sources = new ArrayList<>();

    /**
     * The target.
     *
     * @param runHeader run id as probes in front of the servers are to see it
     * @throws IllegalArgumentException when an option makes no sense
     */
    Target target(String runHeader) {
        // Not left to picocli, which would want it of subcommands too.
        if (servers.isEmpty()) {
            throw new IllegalArgumentException("--url: must be given, e.g. http://localhost:8000");
        }
        Map<String, String> all = new LinkedHashMap<>();
        all.put("x-inferwatch-run", runHeader);
        for (String header : headers) {
            int colon = header.indexOf(':');
            if (colon < 1) {
                throw new IllegalArgumentException("--header: must be NAME:VALUE, found '" + header + "'");
            }
            all.put(
                    header.substring(0, colon).trim(),
                    header.substring(colon + 1).trim());
        }
        if (apiKeyFile != null) {
            all.put("authorization", "Bearer " + apiKey(apiKeyFile));
        }
        return new Target(servers, api, api.path(), Optional.ofNullable(model), all, tls());
    }

    /** Addresses to connect from. */
    List<InetAddress> sourceAddresses() {
        List<InetAddress> addresses = new ArrayList<>();
        for (String source : sources) {
            try {
                addresses.add(InetAddress.getByName(source));
            } catch (UnknownHostException e) {
                throw new IllegalArgumentException(
                        "--source-address: must be addresses of this host, found '" + source + "'");
            }
        }
        return addresses;
    }

    /** What they say, by name, without secrets. */
    void describe(Map<String, String> options) {
        options.put("url", String.join(",", servers.stream().map(URI::toString).toList()));
        options.put("endpoint", api.name().toLowerCase(Locale.ROOT));
        if (model != null) {
            options.put("model", model);
        }
    }

    private @Nullable SslContext tls() {
        boolean isSecure = servers.stream().anyMatch(server -> "https".equalsIgnoreCase(server.getScheme()));
        if (!isSecure) {
            return null;
        }
        if (servers.stream().anyMatch(server -> "http".equalsIgnoreCase(server.getScheme()))) {
            throw new IllegalArgumentException("--url: must be all http or all https, found both");
        }
        try {
            return new ClientTls(Optional.ofNullable(authority), Optional.empty(), Optional.empty()).context();
        } catch (SSLException | IllegalArgumentException e) {
            throw new IllegalArgumentException("--ca: must hold certificates in PEM, found: " + e.getMessage());
        }
    }

    private static String apiKey(Path file) {
        try {
            return Files.readString(file).trim();
        } catch (IOException e) {
            throw new IllegalArgumentException("--api-key-file: must be a readable file, found " + file);
        }
    }

    static final class ApiConverter implements ITypeConverter<Api> {
        @Override
        public Api convert(String text) {
            for (Api api : Api.values()) {
                if (api.name().toLowerCase(Locale.ROOT).equals(text)) {
                    return api;
                }
            }
            throw new TypeConversionException("must be chat or completions, found '" + text + "'");
        }
    }
}
