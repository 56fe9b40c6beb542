package io.inferwatch.probes.proxy;

import java.net.URI;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads where a server answers: a scheme, a host and perhaps a port, no path. */
public final class ServerUriConverter implements ITypeConverter<URI> {
    /** For picocli. */
    public ServerUriConverter() {}

    @Override
    public URI convert(String text) {
        try {
            URI uri = URI.create(text);
            boolean isHttp = "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
            boolean isBare = uri.getRawPath() == null
                    || uri.getRawPath().isEmpty()
                    || uri.getRawPath().equals("/");
            if (isHttp && uri.getHost() != null && isBare && uri.getRawQuery() == null) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            // Said below.
        }
        throw new TypeConversionException(
                "must be http://HOST:PORT or https://HOST:PORT without a path, found '" + text + "'");
    }
}
